"""ResNet-50 on ImageNet: the published size, crops that everybody shares, errors, and what is refused."""

import numpy as np
import pytest

from harness.datasets import prepared, source
from harness.environments.choose import Choice
from harness.planning import applicability, planner
from harness.planning.plan import Selection
from harness.planning.planner import PlanRequest
from harness.records import Treatment
from suite.data import Shards
from suite.neural import trains
from suite.resnet50_imagenet import crops
from suite.resnet50_imagenet.spec import MOST_PRELOADED_BYTES, SPEC
from suite.spec import SettingError

PUBLISHED = 25_557_032  # trained numbers, as torchvision prints them
SMALL = SPEC.with_settings({"depth": 11, "side": 4, "classes": 8, "epochs": 3, "batch_size": 2})
RECORDS = np.random.default_rng(0).integers(0, 256, (9, 6, 7, 3), np.uint8)
RAW = {"x": RECORDS, "y": np.arange(9) % 8}
PRELOADED = SMALL.with_settings({"input": "preloaded"})


def treatment(settings, framework="torch"):
    kind = {
        "workload": SPEC.name,
        "framework": framework,
        "version": "",
        "stage": "train",
        "dataset": "imagenet",
    }
    return Treatment(**kind, settings=settings)


def test_it_has_the_published_size():
    sizes = {name: array.size for name, array in SPEC.initial_weights(0).items() if trains(name)}
    assert sum(sizes.values()) == PUBLISHED


def test_the_operations_are_those_of_the_paper():
    """He et al. 2015, table 1, count 3.8e9 multiplications; v1.5 has the stride later, which makes 4.1e9."""
    assert SPEC.sample_flops("infer") / 2 == pytest.approx(4.09e9, rel=5e-3)


def test_decay_is_of_kernels_and_biases_alone():
    decayed = {
        name.rpartition("/")[2] for name in SPEC.initial_weights(0) if trains(name) and SPEC.decays(name)
    }
    assert decayed == {"kernel", "bias"}


def test_what_is_judged_is_cut_from_the_middle():
    rows = np.array([3, 0])
    assert np.array_equal(SMALL.batch({"x": RECORDS}, rows)["x"], RECORDS[rows, 1:5, 1:5])


def test_what_is_trained_on_is_every_crop_there_is_mirrored_or_not():
    views = np.concatenate([crops.views(np.arange(9), epoch) for epoch in range(1, 400)])
    found = {crop.tobytes() for crop in crops.cut(RECORDS, views, 4)}
    ways = [RECORDS[:, top : top + 4, left : left + 4] for top in range(3) for left in range(4)]
    assert found == {crop.tobytes() for way in ways for several in (way, way[:, :, ::-1]) for crop in several}


def test_an_epoch_takes_each_record_once_in_another_view():
    orders = [SMALL.order(RAW, 1, epoch) for epoch in (1, 2)]
    for epoch, order in enumerate(orders, 1):
        records, epochs = crops.of_views(order)
        assert order.shape == (4, 2) and len(set(records.ravel())) == 8 and (epochs == epoch).all()
    first, second = (SMALL.batch(RAW, crops.views(np.arange(9), epoch))["x"] for epoch in (1, 2))
    assert (first != second).any(axis=(1, 2, 3)).sum() >= 7


def test_a_crop_depends_on_nothing_but_its_view():
    views = crops.views(np.arange(9), 2)
    together = SMALL.batch(RAW, views)["x"]
    assert np.array_equal(together, np.concatenate([SMALL.batch(RAW, views[[row]])["x"] for row in range(9)]))
    in_files = {**RAW, "x": Shards([RECORDS[:5], RECORDS[5:]])}
    assert np.array_equal(together, SMALL.batch(in_files, views)["x"])


def test_labels_are_those_of_the_records_and_not_given_to_who_infers():
    batch = SMALL.batch(RAW, crops.views(np.array([8, 2]), 1))
    assert batch["y"].tolist() == [0, 2]
    assert list(SMALL.batch(SMALL.without_targets(RAW), np.array([8]))) == ["x"]


def test_preloaded_are_the_same_crops():
    placed = PRELOADED.inputs(RAW, "float32")
    assert placed["x"].shape == (9, 4, 4, 4, 3) and placed["x"].dtype == np.uint8
    for epoch in (1, 3):
        for rows in SMALL.order(RAW, 5, epoch):
            cut, gathered = SMALL.batch(RAW, rows), PRELOADED.batch(placed, rows)
            assert all(np.array_equal(cut[name], gathered[name]) for name in ("x", "y"))
    _, test = PRELOADED.of_both(RAW, RAW, "float32")
    assert test["x"].shape == (9, 1, 4, 4, 3)
    rows = np.array([4, 4, 1])
    asked = PRELOADED.tested(lambda array, *places: array[places], {"x": test["x"]}, rows)
    assert np.array_equal(asked["x"], SMALL.batch({"x": RECORDS}, rows)["x"])


@pytest.mark.parametrize(
    ("scores", "right", "top5", "top1"),
    [
        ([8, 7, 6, 5, 4, 3, 2, 1], 0, 0.0, 0.0),
        ([8, 7, 6, 5, 4, 3, 2, 1], 4, 0.0, 1.0),
        ([8, 7, 6, 5, 4, 3, 2, 1], 5, 1.0, 1.0),
        ([1, 1, 1, 1, 1, 1, 1, 1], 0, 1.0, 1.0),  # who cannot tell names nothing
        ([1, 1, 1, 1, 1, 0, 0, 0], 0, 0.0, 1.0),
        ([np.nan] * 8, 0, 1.0, 1.0),
    ],
)
def test_errors_by_hand(scores, right, top5, top1):
    told = SMALL.evaluate({"y": np.array([right])}, {"scores": np.array([scores], float)})
    assert told == {"top5_error": top5, "top1_error": top1}


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"depth": 18}, "depth must be one of 11, 14, 50, 101, 152, not 18"),
        ({"input": "disk"}, "input must be one of pipeline, preloaded, not disk"),
        ({"batch_size": 1}, "batch_size must be at least 2"),
        ({"classes": 5}, "classes must be at least 6"),
        ({"smoothing": 1.0}, "smoothing must be at least 0 and below 1"),
        ({"epochs": 1024}, "epochs must be at least 1 and at most 1023"),
    ],
)
def test_what_cannot_be_built_is_refused(settings, complaint):
    with pytest.raises(SettingError, match=complaint):
        SPEC.with_settings(settings)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [({"side": 7}, "side must be at most 6, not 7"), ({"classes": 6}, "classes must be at least 8, not 6")],
)
def test_data_that_do_not_fit_are_refused(settings, complaint):
    with pytest.raises(SettingError, match=complaint):
        SMALL.with_settings(settings).as_samples(RAW, "train")


def test_the_data_set_decides_the_crops_and_the_classes():
    spec = SPEC.with_dataset("synthetic-imagenet")
    stand_in = source("synthetic-imagenet")
    assert spec.classes == stand_in.classes and spec.side < stand_in.shape[0]
    assert (SPEC.with_dataset("imagenet").side, SPEC.with_dataset("imagenet").classes) == (224, 1000)


def test_more_than_may_be_preloaded_is_left_out_with_a_reason(monkeypatch):
    monkeypatch.setattr(prepared, "train_samples", lambda name: 1_281_167)
    asked = {"pipeline": "", "preloaded": "385.7 GB of crops, more than the 4.3 GB that may be preloaded"}
    for name, reason in asked.items():
        told = applicability.why_not(treatment({"input": name}), compiler=False)
        assert reason in told and bool(reason) is bool(told)
    most = MOST_PRELOADED_BYTES // (2 * 224 * 224 * 3)
    spec = SPEC.with_settings({"input": "preloaded"})
    assert not spec.too_large(most) and spec.too_large(most + 1)


def test_classes_that_the_data_set_has_more_of_are_left_out_with_a_reason():
    spec = SPEC.with_dataset("synthetic-imagenet")
    assert spec.with_settings({"classes": 15}).too_large(100) == (
        "classes is 15, and the data set has 16: set as many, or more"
    )
    assert not spec.too_large(100) and not spec.with_settings({"classes": 17}).too_large(100)


def test_what_is_made_on_the_host_is_in_no_loop_of_the_device(monkeypatch):
    monkeypatch.setattr(prepared, "train_samples", lambda name: 100)
    scan = {"mode": "scan"}
    assert "jax has no mode scan" in applicability.why_not(treatment(scan, "jax"), compiler=False)
    assert not applicability.why_not(treatment({**scan, "input": "preloaded"}, "jax"), compiler=False)


def test_the_study_expands_to_its_treatments():
    plan = planner.make_plan(
        PlanRequest("icse22", Selection(workloads=(SPEC.name,)), 1, None), Choice("virtualenv")
    )
    assert {(one.framework, one.stage) for one in plan.treatments} == {
        (framework, stage) for framework in ("torch", "tensorflow") for stage in ("train", "infer")
    }
