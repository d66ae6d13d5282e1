"""NeuMF's numbers: its published formula in NumPy, the order of its pairs, and rankings of which all scores tie."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.inventory import catalog
from suite.ncf.ranking import TOP, judged
from suite.ncf.spec import SIZES, SPEC, TESTED
from suite.spec import SettingError
from tests.suite.neumf import PROVEN, data_of_ratings, mean_loss, score, some_weights

FRAMEWORKS = (*catalog.workload("ncf").frameworks, "keras-jax", "keras-torch")


def test_it_has_the_published_sizes():
    users, items = SIZES["ml-20m"]
    towers = 64 + 128  # numbers of a vector for the factorisation and for the perceptron
    perceptron = (256 + 1) * 256 + (256 + 1) * 128 + (128 + 1) * 64
    shapes = SPEC.shapes.values()
    assert sum(int(np.prod(shape)) for shape in shapes) == (users + items) * towers + perceptron + 64 + 64 + 1


def test_its_tables_are_as_large_as_the_data_set_unless_a_setting_says_otherwise():
    small = SPEC.with_dataset("ml-latest-small")
    assert (small.users, small.items) == SIZES["ml-latest-small"] == (610, 9_724)
    assert SPEC.with_dataset("") == SPEC
    assert small.with_settings({"users": 700}).users == 700


@pytest.mark.parametrize(
    "layers", ["", "256", "256,128", "255-64", "256-0", "256--64", "256-64-", "-2-4", "256-x"]
)
def test_layers_that_are_none_are_named(layers):
    with pytest.raises(SettingError, match="ncf: layers must be numbers from 1 on with a - between"):
        SPEC.with_settings({"layers": layers})


def test_layers_of_a_setting_are_those_of_the_network():
    small = SPEC.with_settings({"layers": "8-6-4-2", "factors": 3})
    kernels = [shape for name, shape in small.shapes.items() if name.endswith("kernel")]
    assert kernels == [(8, 6), (6, 4), (4, 2), (5, 1)]
    assert small.shapes["users/embeddings"] == (SPEC.users, 3 + 4)


def test_data_of_more_users_than_the_table_has_are_refused():
    raw = PROVEN.examples(20, 1)
    with pytest.raises(SettingError, match=r"ncf: users must be more than \d+, not 3"):
        PROVEN.with_settings({"users": 3}).inputs(raw, "float32")


def test_a_user_who_has_rated_too_much_is_named():
    raw = {"user": np.zeros(254, np.int32), "item": np.arange(254, dtype=np.int32)}
    with pytest.raises(SettingError, match="user number 0 leaves 2 items unrated, and each rating needs 4"):
        PROVEN.inputs(raw, "float32")


ORDERED = st.tuples(st.integers(4, 60), st.integers(1, 5), st.integers(1, 4), st.integers(0, 9))


@settings(max_examples=50, deadline=None)
@given(ORDERED)
def test_an_epoch_takes_every_rating_once_and_its_own_negatives_once(drawn):
    ratings, negatives, epochs, seed = drawn
    spec = PROVEN.with_settings({"negatives": negatives, "epochs": epochs, "batch_size": 1})
    raw = {name: one for name, one in spec.examples(ratings, seed).items() if name != "negatives"}
    data, seen = spec.inputs(raw, "float32"), []
    for epoch in range(1, epochs + 1):
        order = spec.order(raw, seed, epoch)
        assert np.array_equal(order, spec.order(data, seed, epoch))
        assert len(order) == spec.steps_per_epoch(ratings) == ratings * (1 + negatives)
        assert len(np.unique(order)) == order.size
        batch = spec.batch(data, order.ravel())
        rated = batch["rated"]
        assert sorted(batch["user"][rated]) == sorted(raw["user"]) and rated.sum() == ratings
        assert sorted(batch["item"][rated]) == sorted(raw["item"])
        seen.append(set(order.ravel()[~rated]))
    assert sum(map(len, seen)) == len(set().union(*seen))  # others in each epoch


def test_what_is_numbered_in_32_bits_does_not_overflow():
    raw = {"user": np.zeros(1, int), "negatives": np.broadcast_to(0, (1, 1 << 31))}
    with pytest.raises(SettingError, match="1 ratings with 2147483648 negatives each are too many"):
        PROVEN.order(raw, 0, 1)


def test_the_place_of_the_positive_in_the_test_is_no_constant():
    raw = PROVEN.examples(2000, 3)
    _, asked = PROVEN.of_both(raw, raw, "float32")
    is_positive = asked["candidates"] == raw["item"][:, np.newaxis]
    assert asked["candidates"].shape == (2000, TESTED) and (is_positive.sum(axis=1) == 1).all()
    assert judged(raw["item"], asked["candidates"][:, :TOP])["hit_rate"] == pytest.approx(
        TOP / TESTED, abs=0.025
    )
    assert np.array_equal(np.sort(asked["candidates"]), np.sort(PROVEN.inputs(raw, "float32")["candidates"]))


@given(st.permutations(range(TOP + 3)))
def test_a_ranking_is_judged_by_the_place_of_the_rated_item(items):
    place = items.index(0) + 1
    found = judged(np.array([0]), np.array([items[:TOP]]))
    expected = (1.0, np.log(2) / np.log(place + 1)) if place <= TOP else (0.0, 0.0)
    assert (found["hit_rate"], found["ndcg"]) == pytest.approx(expected)


WITNESS = """
import importlib, json, sys
import numpy as np
from suite.runtimes import implementation_module, runtime_module
from tests.suite.neumf import PROVEN, data_of_ratings, some_weights
out, framework = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
Impl = importlib.import_module(implementation_module("ncf", framework)).Impl
weights, data = some_weights(), data_of_ratings()
one = Impl(PROVEN, weights, "float64", "cpu")
batch = PROVEN.batch(data, PROVEN.order(data, 1, 1)[0])
outputs, gradients, loss = one.outputs(data), one.grads(batch), one.step(batch)
still = Impl(PROVEN, {name: np.zeros_like(one) for name, one in weights.items()}, "float32", "cpu")
tied = still.infer(still.place(data), np.arange(5))
found = {
    "outputs": outputs, "gradients": gradients, "loss": np.array(loss), "tied": tied["ranked"],
}
def listed(one):
    return {name: listed(part) for name, part in one.items()} if isinstance(one, dict) else np.asarray(one).tolist()
with open(out, "w") as file:
    json.dump(listed(found), file)
"""


@pytest.fixture(scope="module")
def witnessed(found_in_each):
    """A function: framework -> what it computed."""
    records = found_in_each(WITNESS, lambda name: [name])
    return lambda name: records[name].result()


@pytest.mark.frameworks
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_scores_and_rankings_are_those_of_the_published_formula(witnessed, framework):
    weights, data = some_weights(), data_of_ratings()
    pairs = [
        [(user, item) for item in row] for user, row in zip(data["user"], data["candidates"], strict=True)
    ]
    expected = np.array([[score(weights, *pair) for pair in row] for row in pairs])
    found = witnessed(framework)["outputs"]
    assert np.abs(np.array(found["scores"]) - expected).max() < 1e-10 * np.abs(expected).max()
    best = np.argsort(-expected, axis=1, kind="stable")[:, :TOP]
    assert np.array_equal(found["ranked"], np.take_along_axis(data["candidates"], best, axis=1))


@pytest.mark.frameworks
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_loss_and_its_gradients_are_those_of_the_published_formula(witnessed, framework):
    """Gradients by central differences, of some entries of every array."""
    weights, data = some_weights(), data_of_ratings()
    batch, found = PROVEN.batch(data, PROVEN.order(data, 1, 1)[0]), witnessed(framework)
    assert found["loss"] == pytest.approx(mean_loss(weights, batch), rel=1e-10)
    met = {"users/embeddings": batch["user"][0], "items/embeddings": batch["item"][0]}
    for name, array in weights.items():
        gradient = np.array(found["gradients"][name])
        for place in {0, array.shape[-1] // 2, array.shape[-1] - 1}:
            index = (met.get(name, 0), place) if array.ndim == 2 else (place,)
            assert gradient[index] == pytest.approx(
                _slope(weights, name, index, batch), rel=1e-5, abs=1e-9
            ), name


def _slope(weights, name, index, batch, step=1e-6):
    losses = []
    for sign in (1, -1):
        moved = {**weights, name: weights[name].copy()}
        moved[name][index] += sign * step
        losses.append(mean_loss(moved, batch))
    return (losses[0] - losses[1]) / (2 * step)


@pytest.mark.frameworks
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_of_candidates_that_tie_the_first_ones_are_ranked(witnessed, framework):
    assert witnessed(framework)["tied"] == data_of_ratings()["candidates"][:5, :TOP].tolist()


def test_counts_and_operations_are_of_pairs():
    outputs = {"scores": np.zeros((7, TESTED)), "ranked": np.zeros((7, TOP), int)}
    raw = PROVEN.examples(7, 1)
    assert PROVEN.counted(raw, np.arange(7), outputs) == {"sample": 7, "interaction": 7 * TESTED}
    assert PROVEN.counted(raw, np.zeros((3, 16), int)) == {"sample": 48, "interaction": 48}
    products = 2 * (256 * 256 + 256 * 128 + 128 * 64 + 128)
    assert (SPEC.sample_flops("train"), SPEC.sample_flops("infer")) == (3 * products, TESTED * products)
