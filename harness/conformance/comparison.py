"""What an implementation recorded, against the reference's record and against itself: pure arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from harness.conformance.tolerances import EARLY, Tolerance
from harness.records import Record
from suite.verify import TOGETHER


class Checked(Record):
    """The largest difference that one check has met, and what is allowed."""

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
    record: Mapping[str, Any], reference: Mapping[str, Any], tolerance: Tolerance, together: int = TOGETHER
) -> Iterator[Checked]:
    """Parameter count, logits and gradients before training; then losses, rows, weights and answers.

    `train` takes the same steps as `step`, though it is other code: it is held against its own, over all of them. Of
    the steps the first `together` are held against the reference's.
    """
    counts = abs(record["parameters"] - reference["parameters"])
    yield _checked("parameters", float(counts), 0.0)
    yield _checked("logits", _apart(record["logits"], reference["logits"]), tolerance.logits)
    yield from _sketches("gradients", record["gradients"], reference["gradients"], tolerance.gradients)
    yield from _losses(record["losses"], reference["losses"], tolerance, together)
    yield from _sketches("moved", record["early"], reference["early"], tolerance.moved)
    if reference["epochs"]:
        yield from _sketches("train moved", record["trained"], record["moved"], tolerance.train_moved)
        yield from _epochs(record, reference, tolerance, together)
    if len(reference["losses"]) <= together:
        yield _checked("answers", _apart(record["answers"], reference["answers"]), tolerance.answers)


def _losses(
    losses: Sequence[float], reference: Sequence[float], tolerance: Tolerance, together: int
) -> Iterator[Checked]:
    found, expected = np.array(losses), np.array(reference)
    apart = np.abs(found / expected - 1)[:together] if found.shape == expected.shape else np.array([np.inf])
    yield _checked("loss of step 0", float(apart[0]), tolerance.first_loss)
    yield _checked(f"losses of {EARLY} steps", float(apart[:EARLY].max()), tolerance.early_losses)
    yield _checked("losses", float(apart.max()), tolerance.losses)


def _epochs(
    record: Mapping[str, Any], reference: Mapping[str, Any], tolerance: Tolerance, together: int
) -> Iterator[Checked]:
    """The mean loss of `train` is held against those of `step`, answers asked for together against a few at once."""
    epochs, expected = record["epochs"], reference["epochs"]
    if len(record["losses"]) != len(reference["losses"]):
        return  # which has been said
    if len(epochs) != len(expected):
        yield _checked("epochs", float(abs(len(epochs) - len(expected))), 0.0)
        return
    stepped = np.array_split(np.array(record["losses"]), len(epochs))
    taken = 0
    for number, (one, other, losses) in enumerate(zip(epochs, expected, stepped, strict=True), 1):
        where = f"epoch {number}"
        yield _checked(f"{where} rows", float(one["rows"] != other["rows"]), 0.0)
        yield _checked(f"{where} train loss", abs(one["loss"] / losses.mean() - 1), tolerance.train_loss)
        if (taken := taken + len(losses)) <= together:
            yield _checked(f"{where} answers", _apart(one["answers"], other["answers"]), tolerance.answers)
        yield _checked(f"{where} answers again", distance(one["again"], one["probed"]), tolerance.logits)


def _sketches(
    what: str, sketches: Mapping[str, Any], reference: Mapping[str, Any], allowed: float
) -> Iterator[Checked]:
    for name, expected in reference.items():
        found = sketches.get(name)
        yield _checked(f"{what} {name}", np.inf if found is None else _apart(found, expected), allowed)


def _apart(found: Mapping[str, Any], expected: Mapping[str, Any]) -> float:
    """Entries and norm, relative to the largest entry of the whole array and to its norm."""
    if found["shape"] != expected["shape"]:
        return float("inf")
    entries = distance(found["entries"], expected["entries"], expected["max_abs"])
    return max(entries, distance([found["norm"]], [expected["norm"]]))


def distance(values: Any, reference: Any, magnitude: float | None = None) -> float:
    """The largest difference, relative to the largest magnitude of the reference; without end for other shapes."""
    try:
        found, expected = np.array(values, np.float64), np.array(reference, np.float64)
    except (ValueError, TypeError, OverflowError):  # rows of several lengths, or no numbers at all
        return float("inf")
    if found.shape != expected.shape or not found.size:
        return float("inf")
    largest, of = np.abs(found - expected).max(), magnitude or np.abs(expected).max()
    if largest == 0.0:
        return 0.0
    return float(largest / of) if of else float("inf")


def _checked(check: str, value: float, allowed: float) -> Checked:
    return Checked(check=check, value=value, tolerance=allowed)


def failures(checks: Sequence[Checked]) -> list[Checked]:
    return [one for one in checks if not one.passed]
