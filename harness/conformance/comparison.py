"""What of one implementation's record (suite.verify) is further from the reference's than is allowed; pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from harness.conformance.tolerances import Tolerance
from harness.records import Record

PLAIN = "plain"
TRACES = (PLAIN, "as_specified")
EARLY = 10  # steps within which training has hardly amplified rounding; momentum and Adam amplify it at once


class Checked(Record):
    """One comparison: how far it is from the reference, and how far it may be."""

    check: str
    value: float
    tolerance: float

    @property
    def passed(self) -> bool:
        return self.value <= self.tolerance  # what is not a number has not passed

    @property
    def share(self) -> float:
        """Of what is allowed; of nothing, any difference is infinitely much."""
        if self.tolerance:
            return self.value / self.tolerance
        return 0.0 if self.value == 0 else float("inf")


def compare(
    record: Mapping[str, Any], reference: Mapping[str, Any], tolerance: Tolerance
) -> Iterator[Checked]:
    """Parameter count, logits, gradients of step 0, losses step by step, and `train` against `step`."""
    counts = abs(record["parameters"] - reference["parameters"])
    yield Checked(check="parameters", value=float(counts), tolerance=0.0)
    yield _checked("logits", distance(record["logits"], reference["logits"]), tolerance.logits)
    yield from _sketches("gradients", record["gradients"], reference["gradients"], tolerance.gradients)
    for name in TRACES:
        yield from _trace(name, record[name], reference[name], tolerance)


def _trace(
    name: str, trace: Mapping[str, Any], reference: Mapping[str, Any], tolerance: Tolerance
) -> Iterator[Checked]:
    """`train` takes the same steps as `step`, though it is other code: it is held against its own."""
    losses, expected = np.array(trace["losses"]), np.array(reference["losses"])
    same = losses.shape == expected.shape
    apart = np.abs(losses / expected - 1) if same else np.array([np.inf])
    if name == PLAIN:
        yield _checked(f"{name} loss of step 0", float(apart[0]), tolerance.first_loss)
        yield _checked(f"{name} losses, first {EARLY}", float(apart[:EARLY].max()), tolerance.early_losses)
    yield _checked(f"{name} losses", float(apart.max()), tolerance.losses)
    yield _checked(f"{name} train loss", abs(trace["train_loss"] / losses.mean() - 1), tolerance.losses)
    yield from _sketches(f"{name} params", trace["params"], reference["params"], tolerance.params)
    yield from _sketches(f"{name} train params", trace["train_params"], trace["params"], tolerance.params)


def _sketches(
    what: str, sketches: Mapping[str, Any], reference: Mapping[str, Any], allowed: float
) -> Iterator[Checked]:
    for name, expected in reference.items():
        found = sketches.get(name)
        yield _checked(f"{what} {name}", np.inf if found is None else _apart(found, expected), allowed)


def _apart(found: Mapping[str, Any], expected: Mapping[str, Any]) -> float:
    if found["shape"] != expected["shape"]:
        return float("inf")
    return max(distance(found[part], expected[part]) for part in ("entries", "norm"))


def distance(values: Any, reference: Any) -> float:
    """The largest difference, relative to the largest magnitude of the reference; without end for other shapes."""
    try:
        found, expected = np.array(values, np.float64), np.array(reference, np.float64)
    except (ValueError, TypeError, OverflowError):  # rows of several lengths, or no numbers at all
        return float("inf")
    if found.shape != expected.shape or not found.size:
        return float("inf")
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def _checked(check: str, value: float, allowed: float) -> Checked:
    return Checked(check=check, value=value, tolerance=allowed)


def failures(checks: Sequence[Checked]) -> list[Checked]:
    return [one for one in checks if not one.passed]
