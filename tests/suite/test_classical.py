"""Classifiers without gradient steps: the same pixels, the whole set at once, and forests that survive as arrays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier

from harness.inventory import catalog
from suite.classical import ClassicalSpec
from suite.random_forest import trees
from suite.random_forest.sklearn_impl import Impl
from suite.random_forest.spec import SPEC as FOREST
from suite.spec import SettingError

SPECS = [one.spec for one in catalog.workloads().values() if isinstance(one.spec, ClassicalSpec)]


def test_three_classifiers_are_found():
    assert {spec.name for spec in SPECS} == {"svm", "logistic_regression", "random_forest"}
    assert {framework for spec in SPECS for framework in catalog.workload(spec.name).frameworks} == {
        "sklearn"
    }


@pytest.mark.parametrize("spec", SPECS, ids=lambda one: one.name)
def test_every_data_set_that_can_be_prepared_has_a_floor(spec):
    assert set(spec.quality_floor) == set(spec.datasets)
    with pytest.raises(
        SettingError, match=f"{spec.name} fits all samples at once: batch_size does not apply"
    ):
        spec.with_settings({"batch_size": 32})


@given(st.integers(0, 255), st.integers(0, 15), st.integers(0, 15), st.integers(0, 2))
def test_a_picture_in_colour_becomes_means_over_its_squares(level, row, column, channel):
    picture = np.zeros((1, 64, 64, 3), np.uint8)
    picture[0, 4 * row : 4 * row + 4, 4 * column : 4 * column + 4, channel] = level
    features = FOREST.features(picture).reshape(16, 16, 3)
    assert features[row, column, channel] == level / 255
    assert features.sum() == features[row, column, channel]


def fitted(x, y, trees_count=7):
    one = Impl(FOREST.with_settings({"trees": trees_count}), {}, "float32", "cpu")
    one.train(one.place({"x": x, "y": y}), FOREST.batch_order(len(y), 3, 1))
    return one


def test_a_forest_is_plain_arrays_and_the_same_after_them():
    draw = np.random.default_rng(1)
    x, y = draw.random((200, 5)), draw.integers(0, 3, 200)
    one = fitted(x, y)
    state = one.params()
    assert {array.dtype.kind for array in state.values()} <= set("iuf")
    assert len(state["node_counts"]) == 7 and state["node_counts"].sum() == len(state["values"])
    again = RandomForestClassifier()
    trees.restore(again, state)
    others = draw.random((500, 5))
    assert np.array_equal(again.predict_proba(others), one.model.predict_proba(others))
    for name, array in trees.arrays_of(again).items():
        assert np.array_equal(array, state[name]), name


def test_the_same_seed_grows_the_same_forest_and_another_order_another():
    draw = np.random.default_rng(2)
    x, y = draw.random((200, 5)), draw.integers(0, 3, 200)
    first, again = fitted(x, y).params(), fitted(x, y).params()
    assert all(np.array_equal(first[name], again[name]) for name in first)
    other = Impl(FOREST.with_settings({"trees": 7}), {}, "float32", "cpu")
    other.train(other.place({"x": x, "y": y}), FOREST.batch_order(200, 4, 1))
    assert not np.array_equal(other.params()["node_counts"], first["node_counts"])
