"""What is held against the reference, and what counts as equal."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.conformance.comparison import Checked, compare, distance, failures
from harness.conformance.tolerances import DTYPES, FLOAT32, FLOAT64, tolerance

EXACT, ROUNDED = tolerance("torch", FLOAT64, {}), tolerance("torch", FLOAT32, {})


def sketch(*entries: float) -> dict[str, Any]:
    return {"shape": [len(entries)], "norm": float(np.linalg.norm(entries)), "entries": list(entries)}


def trace() -> dict[str, Any]:
    params = {"dense/kernel": sketch(1.0, -2.0)}
    return {"losses": [2.0, 1.0], "train_loss": 1.5, "params": params, "train_params": copy.deepcopy(params)}


def record() -> dict[str, Any]:
    gradients = {"dense/kernel": sketch(0.5, 0.25), "dense/bias": sketch(0.1)}
    return {
        "parameters": 3,
        "logits": [[1.0, 2.0]],
        "gradients": gradients,
        "plain": trace(),
        "as_specified": trace(),
    }


def found(changed: dict[str, Any]) -> list[str]:
    return [one.check for one in failures(list(compare(changed, record(), EXACT)))]


def test_a_record_equals_itself() -> None:
    assert found(record()) == []
    assert len(list(compare(record(), record(), EXACT))) == 2 + 2 + 2 + 2 * 4


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (lambda one: one.update(parameters=4), ["parameters"]),
        (lambda one: one.update(logits=[[1.0, 2.0 + 1e-9]]), ["logits"]),
        (lambda one: one["gradients"].update({"dense/bias": sketch(0.1, 0.1)}), ["gradients dense/bias"]),
        (lambda one: one["gradients"].pop("dense/bias"), ["gradients dense/bias"]),
        (lambda one: one["gradients"].update({"dense/bias": sketch(float("nan"))}), ["gradients dense/bias"]),
        (
            lambda one: one["plain"].update(losses=[2.0, 1.01]),
            ["plain losses, first 10", "plain losses", "plain train loss"],
        ),
        (lambda one: one["as_specified"].update(losses=[2.001, 0.999]), ["as_specified losses"]),
        (lambda one: one["as_specified"].update(train_loss=1.6), ["as_specified train loss"]),
        (
            lambda one: one["plain"].update(train_params={"dense/kernel": sketch(1.0, -2.1)}),
            ["plain train params dense/kernel"],
        ),
    ],
)
def test_each_difference_is_named(change: Any, check: list[str]) -> None:
    one = record()
    change(one)
    assert found(one) == check


@pytest.mark.parametrize(
    "logits", [[1.0, 2.0], [[1.0, 2.0], [1.0]], [["a", "b"]], [[]], [[10**400, 2]], [{}]]
)
def test_another_shape_is_a_difference_not_an_error(logits: Any) -> None:
    assert found(record() | {"logits": logits}) == ["logits"]
    assert failures(list(compare(record(), record() | {"logits": logits}, EXACT))), "also of the reference"


@pytest.mark.parametrize("losses", [[2.0], [2.0, 1.0, 1.5]])
def test_traces_of_other_lengths_differ(losses: list[float]) -> None:
    one = record()
    one["plain"]["losses"] = losses
    assert "plain losses" in found(one)
    one = record()
    one["plain"]["params"]["dense/kernel"]["entries"] = [1.0]
    assert "plain params dense/kernel" in found(one)


def test_the_first_loss_is_held_closer_than_those_after_it() -> None:
    """In float32, where each step amplifies rounding: 2e-6, then 1e-5 for ten steps, then 1e-4."""
    reference = record() | {"plain": trace() | {"losses": [1.0] * 11, "train_loss": 1.0}}
    rounded = copy.deepcopy(reference)
    for apart, check in ((5e-6, "plain loss of step 0"), (5e-5, "plain losses, first 10")):
        rounded["plain"]["losses"] = [1.0 + apart] + [1.0] * 10
        named = [one.check for one in failures(list(compare(rounded, reference, ROUNDED)))]
        assert named[-1] == check
    rounded["plain"]["losses"] = [1.0] * 10 + [1.0 + 5e-5]
    assert failures(list(compare(rounded, reference, ROUNDED))) == []


@given(st.floats(0, 1e3), st.floats(1e-6, 1e3))
def test_a_check_passes_up_to_its_tolerance(value: float, allowed: float) -> None:
    one = Checked(check="logits", value=value, tolerance=allowed)
    assert one.passed is (value <= allowed)
    assert (one.share <= 1) is one.passed


def test_nothing_is_allowed_where_nothing_is_allowed() -> None:
    assert Checked(check="parameters", value=0, tolerance=0).share == 0
    assert not Checked(check="parameters", value=1, tolerance=0).passed
    assert not Checked(check="logits", value=float("nan"), tolerance=1).passed


def test_distances_are_relative_to_the_largest_magnitude() -> None:
    assert distance([1.0, -100.0], [2.0, -100.0]) == 0.01


def test_wider_tolerances_are_the_frameworks_or_the_workloads_own() -> None:
    assert tolerance("keras", FLOAT64, {}).losses > EXACT.losses
    assert tolerance("keras", FLOAT32, {}) == tolerance("torch", FLOAT32, {})
    own = tolerance("keras-torch", FLOAT32, {("keras-torch", FLOAT32): {"losses": 0.5}})
    assert (own.losses, own.logits) == (0.5, tolerance("torch", FLOAT32, {}).logits)
    assert DTYPES == (FLOAT64, FLOAT32)
