"""What is held against the reference, and what counts as equal."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.conformance.comparison import Checked, compare, distance, failures
from harness.conformance.tolerances import EARLY, EXACT, LONG, OWN, tolerance
from harness.inventory import catalog
from suite.neural import NeuralSpec
from suite.verify import TOGETHER
from suite.verify import sketch as suite_sketch

IN_FLOAT64, ROUNDED = tolerance("torch", EXACT, {}), tolerance("torch", LONG, {})


def sketch(*entries: float) -> dict[str, Any]:
    norm, largest = float(np.linalg.norm(entries)), float(np.abs(entries).max())
    return {"shape": [len(entries)], "norm": norm, "max_abs": largest, "entries": list(entries)}


def epoch(loss: float) -> dict[str, Any]:
    answers = {"all": sketch(3.0, 1.0), "probed": [[3.0, 1.0]], "again": [[3.0, 1.0]]}
    return {"loss": loss, "rows": "0123456789abcdef", "answers": {"scores": answers}}


def scores(*entries: float) -> dict[str, Any]:
    return {"scores": sketch(*entries)}


def record() -> dict[str, Any]:
    gradients = {"dense/kernel": sketch(0.5, 0.25), "dense/bias": sketch(0.1)}
    moved = {"dense/kernel": sketch(1.0, -2.0)}
    return {
        "parameters": 3,
        "outputs": scores(1.0, 2.0),
        "gradients": gradients,
        "losses": [2.0, 1.0, 1.5, 0.5],
        "epochs": [epoch(1.5), epoch(1.0)],
        "early": moved,
        "moved": copy.deepcopy(moved),
        "trained": copy.deepcopy(moved),
        "answers": scores(3.0, 1.0),
        "restored": scores(3.0, 1.0),
    }


def found(changed: dict[str, Any]) -> list[str]:
    return [one.check for one in failures(list(compare(changed, record(), IN_FLOAT64)))]


def test_a_record_equals_itself() -> None:
    assert found(record()) == []
    assert len(list(compare(record(), record(), IN_FLOAT64))) == 2 + 2 + 3 + 2 + 1 + 2 * 5 + 1


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (lambda one: one.update(parameters=4), ["parameters"]),
        (lambda one: one.update(outputs=scores(1.0, 2.0 + 1e-9)), ["outputs"]),
        (lambda one: one["gradients"].update({"dense/bias": sketch(0.1, 0.1)}), ["gradients dense/bias"]),
        (lambda one: one["gradients"].pop("dense/bias"), ["gradients dense/bias"]),
        (lambda one: one["gradients"].update({"dense/bias": sketch(float("nan"))}), ["gradients dense/bias"]),
        (
            lambda one: one.update(losses=[2.0, 1.01, 1.5, 0.5]),
            ["losses of 8 steps", "losses", "epoch 1 train loss"],
        ),
        (
            lambda one: one.update(losses=[2.001, 0.999, 1.5, 0.5]),
            ["loss of step 0", "losses of 8 steps", "losses"],
        ),
        (
            lambda one: one.update(trained={"dense/kernel": sketch(1.0, -2.1)}),
            ["train moved dense/kernel"],
        ),
        (lambda one: one["epochs"][1].update(loss=1.1), ["epoch 2 train loss", "epoch 2 loss"]),
        (lambda one: one["epochs"][1].update(rows="f" * 16), ["epoch 2 rows"]),
        (lambda one: one["epochs"][1]["answers"]["scores"].update(all=sketch(3.0, 1.1)), ["epoch 2 answers"]),
        (
            lambda one: one["epochs"][1]["answers"]["scores"].update(again=[[3.0, 1.1]]),
            ["epoch 2 answers again"],
        ),
        (lambda one: one["epochs"][1].update(answers=None), ["epoch 2 answers"]),
        (lambda one: one.update(restored=scores(3.0, 1.1)), ["answers of its weights"]),
        (lambda one: one.update(moved={}, trained={}), ["train moved dense/kernel"]),
        (lambda one: one["epochs"].pop(), ["epochs"]),
        (lambda one: one.update(early={"dense/kernel": sketch(1.0, -2.1)}), ["moved dense/kernel"]),
        (lambda one: one.update(trained={}), ["train moved dense/kernel"]),
        (lambda one: one.update(answers=scores(3.0, 1.1)), ["answers of its weights", "answers"]),
    ],
)
def test_each_difference_is_named(change: Any, check: list[str]) -> None:
    one = record()
    change(one)
    assert found(one) == check


@pytest.mark.parametrize("again", [[[3.0]], [[3.0, 1.0], [1.0]], [["a", "b"]], [[]], [[10**400, 2]], [{}]])
def test_another_shape_is_a_difference_not_an_error(again: Any) -> None:
    one = record()
    one["epochs"][1]["answers"]["scores"]["again"] = again
    assert found(one) == ["epoch 2 answers again"]


def items(*entries: int, hashed: str = "0" * 16) -> dict[str, Any]:
    return {"shape": [len(entries)], "hash": hashed, "entries": list(entries)}


def test_whole_numbers_are_held_item_for_item() -> None:
    one, other = (
        {**record(), "outputs": {"scores": sketch(1.0, 2.0), "tokens": items(1, 2)}} for _ in range(2)
    )
    assert failures(list(compare(one, other, ROUNDED))) == []
    for changed, value in ((items(1, 3, hashed="1" * 16), 0.5), (items(1, 2, hashed="1" * 16), 0.5)):
        one["outputs"]["tokens"] = changed
        assert [(c.check, c.value) for c in failures(list(compare(one, other, ROUNDED)))] == [
            ("outputs tokens", value)
        ]
    for changed in (items(1, 2, 3), sketch(1.0, 2.0)):
        one["outputs"]["tokens"] = changed
        assert [c.value for c in failures(list(compare(one, other, ROUNDED)))] == [float("inf")]
    del one["outputs"]["tokens"]
    assert [c.check for c in failures(list(compare(one, other, ROUNDED)))] == ["outputs tokens"]


@pytest.mark.parametrize("losses", [[2.0], [2.0, 1.0, 1.5]])
def test_traces_of_other_lengths_differ(losses: list[float]) -> None:
    one = record()
    one["losses"] = losses
    assert "losses" in found(one)
    one = record()
    one["early"]["dense/kernel"]["entries"] = [1.0]
    assert "moved dense/kernel" in found(one)


def test_in_float32_the_first_losses_are_held_closer_than_those_after_rounding_has_grown() -> None:
    expected, sooner, later = ({**record(), "losses": [2.0] * 20} for _ in range(3))
    sooner["losses"], later["losses"] = [2.0] * 7 + [2.001] + [2.0] * 12, [2.0] * 8 + [2.001] + [2.0] * 11
    early = f"losses of {EARLY} steps"
    for one, seen in ((sooner, True), (later, False)):
        checks = {check.check: check.passed for check in compare(one, expected, ROUNDED)}
        assert checks["losses"] and checks[early] is not seen


def test_in_float32_the_first_loss_is_held_closer_than_those_after_it() -> None:
    rounded = record()
    rounded["losses"][0] *= 1 + 5e-6
    assert [one.check for one in failures(list(compare(rounded, record(), ROUNDED)))] == ["loss of step 0"]
    rounded = record()
    rounded["losses"][3] *= 1 + 5e-6
    assert failures(list(compare(rounded, record(), ROUNDED))) == []


def later(losses: list[float], epochs: int) -> dict[str, Any]:
    """As many losses, of so many epochs, whose means they have."""
    means = [float(np.mean(part)) for part in np.array_split(np.array(losses), epochs)]
    return {**record(), "losses": losses, "epochs": [epoch(mean) for mean in means]}


def test_once_rounding_has_parted_them_each_is_held_against_its_own_steps_alone() -> None:
    expected = later([2.0] * 2 * TOGETHER, epochs=4)
    parted = later([2.0] * TOGETHER + [2.2] * TOGETHER, epochs=4)
    parted["answers"] = parted["restored"] = scores(5.0, 1.0)
    parted["epochs"][3]["answers"]["scores"]["all"] = sketch(5.0, 1.0)
    assert failures(list(compare(parted, expected, ROUNDED))) == []
    parted["epochs"][3]["loss"] = 2.21
    parted["epochs"][1]["answers"]["scores"]["all"] = sketch(5.0, 1.0)
    told = [one.check for one in failures(list(compare(parted, expected, ROUNDED)))]
    assert told == ["epoch 2 answers", "epoch 4 train loss"]
    far = later([2.0] * TOGETHER + [2.4] * TOGETHER, epochs=4)
    told = [one.check for one in failures(list(compare(far, expected, ROUNDED)))]
    assert told == ["epoch 3 loss", "epoch 4 loss"]
    shorter = {**expected, "losses": expected["losses"][:-1]}
    assert failures(list(compare(shorter, expected, IN_FLOAT64)))
    sooner = [one.check for one in compare(parted, expected, IN_FLOAT64, together=4)]
    assert "epoch 1 answers" not in sooner and "epoch 4 train loss" in sooner


def test_losses_near_nothing_are_not_held_against_themselves() -> None:
    """A few samples may be learnt by heart: a loss of exactly 0 is equal to itself."""
    small = later([2.0, 1.0, 1e-9, 0.0, 0.0, 0.0], epochs=3)
    other = later([2.0, 1.0, 3e-9, 1e-12, 0.0, 0.0], epochs=3)
    as_measured = tolerance("torch", OWN, {})
    for one in (small, other):
        assert failures(list(compare(one, small, as_measured, together=2))) == []
    never_small = later([2.0, 1.0, 0.02, 0.02, 0.02, 0.02], epochs=3)
    told = [one.check for one in failures(list(compare(never_small, small, as_measured, together=2)))]
    assert told == ["epoch 2 loss", "epoch 3 loss"]


@given(st.floats(0, 1e3), st.floats(1e-6, 1e3))
def test_a_check_passes_up_to_its_tolerance(value: float, allowed: float) -> None:
    one = Checked(check="outputs", value=value, tolerance=allowed)
    assert one.passed is (value <= allowed)
    assert (one.share <= 1) is one.passed


def test_nothing_is_allowed_where_nothing_is_allowed() -> None:
    assert Checked(check="parameters", value=0, tolerance=0).share == 0
    assert not Checked(check="parameters", value=1, tolerance=0).passed
    assert not Checked(check="outputs", value=float("nan"), tolerance=1).passed


def test_distances_are_relative_to_the_largest_magnitude() -> None:
    assert distance([1.0, -100.0], [2.0, -100.0]) == 0.01
    assert distance([1.0, 0.0], [2.0, 0.0], magnitude=100.0) == 0.01
    assert distance([0.0], [0.0]) == 0.0 and distance([1e-9], [0.0]) == float("inf")


def test_wider_tolerances_are_the_frameworks_or_the_workloads_own_or_the_precision_s() -> None:
    assert tolerance("keras", EXACT, {}).losses > IN_FLOAT64.losses
    assert tolerance("keras", LONG, {}) == tolerance("torch", LONG, {})
    own = tolerance("keras-torch", LONG, {("keras-torch", LONG): {"losses": 0.5}})
    assert (own.losses, own.outputs) == (0.5, tolerance("torch", LONG, {}).outputs)
    narrow = tolerance("torch", OWN, {}, "bf16")
    assert narrow.outputs > 1e-3 and narrow.losses >= tolerance("torch", OWN, {}).losses
    assert narrow.train_moved == tolerance("torch", OWN, {}).train_moved
    assert tolerance("torch", OWN, {}, "bf16", "cuda").train_moved == 5e-2


def test_a_gpu_may_part_from_its_own_steps_where_the_workload_says_so() -> None:
    wider = {
        ("jax", LONG): {"losses": 0.2, "moved": 1.0},
        ("cuda", LONG): {"train_moved": 0.5, "train_loss": 0.05},
    }
    here, on_gpu, other = (
        tolerance("torch", LONG, wider, device=device) for device in ("cpu", "cuda", "rocm")
    )
    assert (here.train_loss, here.train_moved) == (other.train_loss, other.train_moved) == (1e-5, 1e-4)
    assert (on_gpu.train_loss, on_gpu.train_moved) == (0.05, 0.5)
    assert (on_gpu.moved, on_gpu.outputs) == (here.moved, here.outputs)


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("kind", [LONG, OWN])
def test_on_no_device_does_a_training_pass_that_moves_nothing(kind: str, precision: str) -> None:
    """Its weights are as far from where its steps led as those moved: 1."""
    found = {
        name: tolerance("torch", kind, one.spec.tolerances, precision, "cuda").train_moved
        for name, one in catalog.workloads().items()
        if isinstance(one.spec, NeuralSpec)
    }
    assert len(found) > 10 and max(found.values()) <= 0.5
    assert found["llm"] == found["emotion_rnn"] == (1e-4 if precision == "fp32" else 5e-2)


def test_a_share_of_whole_numbers_may_differ_where_the_workload_says_so_of_a_precision() -> None:
    wider = {("bf16", OWN): {"items": 0.5}}
    assert tolerance("jax", OWN, wider).items == 0.0
    allowed = tolerance("jax", OWN, wider, "bf16")
    assert (allowed.items, allowed.outputs) == (0.5, 5e-2)
    told, other, far = (
        {"tokens": suite_sketch(np.array(several)), "nll": sketch(1.0, 2.0)}
        for several in ([[1, 2, 3, 4]], [[1, 2, 3, 9]], [[1, 7, 8, 9]])
    )
    reference = {**record(), "losses": [], "outputs": told, "answers": told}
    several = [
        {one.check for one in compare({**reference, "outputs": found}, reference, allowed) if not one.passed}
        for found in (told, other, far)
    ]
    assert several == [set(), set(), {"outputs tokens"}]
