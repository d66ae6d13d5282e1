"""What an implementation recorded, against the reference's record and against itself: pure arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from harness.conformance.tolerances import EARLY, Tolerance
from harness.records import Record
from suite.task import SCORES
from suite.verify import TOGETHER

SMALL_LOSS = 1e-2  # of the first one


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
    """Parameter count, outputs and gradients before training; then losses, rows, weights and answers.

    `train` takes the same steps as `step`, though it is other code: it is held against its own, over all of them. Of
    the steps the first `together` are held against the reference's one by one, the others by the means of epochs.
    """
    counts = abs(record["parameters"] - reference["parameters"])
    yield _checked("parameters", float(counts), 0.0)
    items = tolerance.items
    yield from _outputs("outputs", record["outputs"], reference["outputs"], tolerance.outputs, items)
    yield from _sketches("gradients", record["gradients"], reference["gradients"], tolerance.gradients)
    if not record["losses"] and not reference["losses"]:  # of who only infers
        yield from _outputs("answers", record["answers"], reference["answers"], tolerance.outputs, items)
        return
    yield from _losses(record["losses"], reference["losses"], tolerance, together)
    yield from _sketches("moved", record["early"], reference["early"], tolerance.moved)
    if reference["epochs"]:
        whole = {name: record["moved"].get(name) for name in reference["moved"]}
        yield from _sketches("train moved", record["trained"], whole, tolerance.train_moved)
        yield from _outputs(
            "answers of its weights", record["restored"], record["answers"], tolerance.outputs
        )
        yield from _epochs(record, reference, tolerance, together)
    if len(reference["losses"]) <= together:
        yield from _outputs("answers", record["answers"], reference["answers"], tolerance.answers, items)


def _outputs(
    what: str, found: Mapping[str, Any], expected: Mapping[str, Any], allowed: float, items: float = 0.0
) -> Iterator[Checked]:
    """`items`: the share of whole numbers that may differ, if that is more."""
    for name in sorted({*found, *expected}):
        both = name in found and name in expected
        apart = _apart(found[name], expected[name]) if both else float("inf")
        most = max(allowed, items) if both and "hash" in expected[name] else allowed
        yield _checked(_named(what, name), apart, most)


def _named(what: str, output: str) -> str:
    """Scores need no name."""
    return what if output == SCORES else f"{what} {output}"


def _losses(
    losses: Sequence[float], reference: Sequence[float], tolerance: Tolerance, together: int
) -> Iterator[Checked]:
    same = len(losses) == len(reference)
    first = abs(reference[0])
    apart = _relative(losses[:together], reference[:together], first) if same else np.array([np.inf])
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
    first, steps = abs(reference["losses"][0]), len(record["losses"]) // len(epochs)
    stepped = [float(np.mean(part)) for part in np.array_split(np.array(record["losses"]), len(epochs))]
    for number, (one, other, mean) in enumerate(zip(epochs, expected, stepped, strict=True), 1):
        where = f"epoch {number}"
        yield _checked(f"{where} rows", float(one["rows"] != other["rows"]), 0.0)
        own = _relative([one["loss"]], [mean], first)
        yield _checked(f"{where} train loss", float(own[0]), tolerance.train_loss)
        apart = _relative([one["loss"]], [other["loss"]], first, tolerance.small_loss)
        yield _checked(f"{where} loss", float(apart[0]), tolerance.epoch_loss)
        together_still = number * steps <= together
        yield from _answers(where, one["answers"], other["answers"], tolerance, together_still)


def _answers(
    where: str,
    found: Mapping[str, Any] | None,
    expected: Mapping[str, Any] | None,
    tolerance: Tolerance,
    together: bool,
) -> Iterator[Checked]:
    """Of an epoch after which they were asked for."""
    if expected is None:
        return
    if found is None:
        yield _checked(f"{where} answers", np.inf, tolerance.answers)
        return
    if together:
        whole, wanted = ({name: each["all"] for name, each in one.items()} for one in (found, expected))
        yield from _outputs(f"{where} answers", whole, wanted, tolerance.answers)
    for name, one in found.items():
        allowed = tolerance.again if "hash" in one["all"] else tolerance.outputs
        yield _checked(_named(f"{where} answers again", name), distance(one["again"], one["probed"]), allowed)


@np.errstate(all="ignore")  # what is no number has not passed
def _relative(
    losses: Sequence[float], reference: Sequence[float], first: float, small: float = SMALL_LOSS
) -> np.ndarray:
    """Smaller ones, as after learning a few samples by heart, relative to a share of the first loss."""
    found, expected = np.array(losses), np.array(reference)
    apart: np.ndarray = np.abs(found - expected) / np.maximum(np.abs(expected), small * first)
    return apart


def _sketches(
    what: str, sketches: Mapping[str, Any], reference: Mapping[str, Any], allowed: float
) -> Iterator[Checked]:
    for name, expected in reference.items():
        found = sketches.get(name)
        apart = np.inf if found is None or expected is None else _apart(found, expected)
        yield _checked(f"{what} {name}", apart, allowed)


def _apart(found: Mapping[str, Any], expected: Mapping[str, Any]) -> float:
    """Entries and norm, relative to the largest entry of the whole array and to its norm.

    Of whole numbers, item for item: the share of the entries that differ, if anything does.
    """
    if found["shape"] != expected["shape"] or ("hash" in found) != ("hash" in expected):
        return float("inf")
    if "hash" in found:
        differ = np.not_equal(found["entries"], expected["entries"]).mean()
        return 0.0 if found["hash"] == expected["hash"] else max(float(differ), 1 / prod(found["shape"]))
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
