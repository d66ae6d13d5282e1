"""Every number of a workload is checked, reproducible and framework-neutral."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.inventory import catalog
from suite.mnist_cnn.spec import SHAPES
from suite.mnist_cnn.spec import SPEC as CNN
from suite.spec import SettingError, Spec
from suite.svm.spec import SPEC as SVM


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"epoch": 3}, "mnist_cnn has no setting 'epoch'; it has epochs, "),
        ({"dataset": "digits"}, "mnist_cnn has no setting 'dataset'"),
        ({"epochs": "3"}, "epochs must be of type int, not '3'"),
        ({"epochs": True}, "epochs must be of type int, not True"),
        ({"epochs": 0}, "epochs must be at least 1, not 0"),
        ({"learning_rate": 1}, "learning_rate must be of type float, not 1"),
    ],
)
def test_a_wrong_setting_is_named(settings, complaint):
    with pytest.raises(SettingError, match=complaint):
        CNN.with_settings(settings)


@pytest.mark.parametrize("name", catalog.workloads())
def test_every_data_set_has_a_quality_that_a_sound_run_reaches(name):
    spec = catalog.workload(name).spec
    assert set(spec.quality_floor) == set(spec.datasets)
    assert all(floor > 0 for floor in spec.quality_floor.values())
    assert spec.metrics[0].name != "accuracy" or all(floor < 1 for floor in spec.quality_floor.values())


def test_a_workload_that_lacks_weights_or_inputs_is_refused_at_once():
    class Unfinished(Spec):
        name = "unfinished"

    with pytest.raises(TypeError, match=r"evaluate.*initial_weights.*inputs"):
        Unfinished()


def test_settings_replace_and_leave_the_original():
    assert CNN.with_settings({"epochs": 7}).epochs == 7
    assert CNN.epochs == 3


def test_a_spec_knows_its_data_set_through_all_settings():
    spec = CNN.with_dataset("digits").with_settings({"epochs": 7})
    assert (spec.dataset, spec.epochs, CNN.dataset) == ("digits", 7, "")
    assert CNN.with_dataset("") == CNN
    with pytest.raises(
        SettingError, match="mnist_cnn has no data set 'cifar10'; it has mnist, fashion_mnist, digits"
    ):
        CNN.with_dataset("cifar10")


@given(st.integers(128, 2000), st.integers(0, 9), st.integers(1, 9))
def test_a_batch_order_names_each_sample_at_most_once(samples, seed, epoch):
    order = CNN.batch_order(samples, seed, epoch)
    assert order.shape == (samples // 128, 128)
    assert len(np.unique(order)) == order.size
    assert order.min() >= 0 and order.max() < samples


def test_a_batch_order_is_reproducible_and_differs_by_seed_and_epoch():
    first = CNN.batch_order(1280, 0, 1)
    assert np.array_equal(first, CNN.batch_order(1280, 0, 1))
    assert sorted(first.ravel()) == list(range(1280))
    assert not np.array_equal(first, CNN.batch_order(1280, 0, 2))
    assert not np.array_equal(first, CNN.batch_order(1280, 1, 1))


def test_initial_weights_have_the_published_shapes_and_a_seed():
    weights = CNN.initial_weights(5)
    assert {name: array.shape for name, array in weights.items()} == SHAPES
    assert sum(array.size for array in weights.values()) == 268_298
    assert all(array.dtype == np.float64 for array in weights.values())
    again, other = CNN.initial_weights(5), CNN.initial_weights(6)
    assert all(np.array_equal(weights[name], again[name]) for name in weights)
    assert not np.array_equal(weights["conv1/kernel"], other["conv1/kernel"])


def test_initial_weights_are_scaled_by_their_fans():
    weights = CNN.initial_weights(0)
    assert weights["conv2/kernel"].std() == pytest.approx((2 / (5 * 5 * 64)) ** 0.5, rel=0.01)
    assert np.abs(weights["dense/kernel"]).max() == pytest.approx((6 / (6272 + 10)) ** 0.5, rel=0.01)
    assert not weights["dense/bias"].any()


def test_images_become_numbers_from_0_to_1():
    raw = np.array([0, 255] * 392, dtype=np.uint8).reshape(1, 28, 28)
    assert CNN.features(raw).shape == (1, 28, 28, 1)
    assert SVM.features(raw).shape == (1, 784)
    assert CNN.features(raw).dtype == SVM.features(raw).dtype == np.float64
    assert sorted(set(CNN.features(raw).ravel())) == [0.0, 1.0]


def test_features_come_in_the_precision_of_the_run_but_numbers_of_words_stay_whole():
    class Words(type(CNN)):
        def features(self, x):
            return x

    images, words = np.zeros((2, 28, 28), np.uint8), np.array([[0, 16_777_217]], np.int32)
    assert CNN.inputs({"x": images}, "float32")["x"].dtype == np.float32
    assert Words().inputs({"x": words}, "float32")["x"].tolist() == [
        [0, 16_777_217]
    ]  # float32 has no such number


def test_large_sets_are_converted_without_lying_in_memory_in_float64():
    raw = np.random.default_rng(0).integers(0, 256, (5000, 28, 28), np.uint8)
    tracemalloc.start()
    features = CNN.inputs({"x": raw}, "float32")["x"]
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.array_equal(features, CNN.features(raw).astype(np.float32))
    assert peak_bytes < 2 * features.nbytes  # of which float64 alone would take as much


def test_examples_are_images_of_every_class():
    images, labels = CNN.examples(200, 1).values()
    assert images.shape == (200, 28, 28) and images.dtype == np.uint8
    assert sorted(set(labels)) == list(range(10))


def test_the_svm_fits_all_samples_in_one_batch_up_to_its_cap():
    assert SVM.batch_order(1000, 0, 1).shape == (1, 1000)
    assert SVM.with_settings({"train_samples": 300}).batch_order(1000, 0, 1).shape == (1, 300)
    assert SVM.steps_per_epoch(1000) == 1


def test_the_svm_refuses_a_batch_size():
    with pytest.raises(SettingError, match="batch_size does not apply"):
        SVM.with_settings({"batch_size": 32})
