"""Whether a run computed what it was asked for, by what it left of every epoch and pass (suite.fingerprint).

That it computed the same as others, only all runs together show: harness.analysis.equal_work.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from harness.checks.base import INVALID
from harness.records import Finding
from suite.protocol import Event

ADVICE = "the implementation does not do the work that was asked for: suite verify"


@dataclass(frozen=True)
class Asked:
    """Of a stage: hashes of the rows that each epoch takes (suite.fingerprint.hash_of), or how many passes."""

    epochs: Sequence[str] = ()
    passes: int = 0


def prints(events: Iterable[Event], name: str) -> list[Mapping[str, Any]]:
    """All that were told of `epochs` or `passes`, in order."""
    told = (event.data.get(name) or () for event in events if event.kind == "fingerprint")
    return [one for part in told for one in part]


def not_asked_for(events: Sequence[Event], asked: Asked | None) -> Iterable[Finding]:
    """Other epochs, passes or rows, no finite number, or no training. `asked`: None where nobody knows."""
    for wrong in (*_wrong(events, asked), *_infinite(events), *_unmoved(events)):
        yield Finding(code="other-work", severity=INVALID, message=wrong, advice=ADVICE)
        return


def _wrong(events: Sequence[Event], asked: Asked | None) -> Iterator[str]:
    if asked is None:
        return
    epochs, passes = prints(events, "epochs"), prints(events, "passes")
    for word, told, wanted in (
        ("epochs", len(epochs), len(asked.epochs)),
        ("passes", len(passes), asked.passes),
    ):
        if told != wanted:
            yield f"it computed {told} {word} of {wanted}"
    for number, (one, rows) in enumerate(zip(epochs, asked.epochs, strict=False), 1):
        if one["rows"] != rows:
            yield f"the steps of epoch {number} took other samples, or in another order, than the plan says"


def _infinite(events: Sequence[Event]) -> Iterator[str]:
    for word, name in (("epoch", "epochs"), ("pass", "passes")):
        for number, one in enumerate(prints(events, name), 1):
            answers = one.get("answers", one)
            known = [*answers.values(), *one.get("first_losses", ()), one.get("loss", 0.0)]
            if None in known:
                yield f"{word} {number} has a loss or answers that are no finite number"


def _unmoved(events: Sequence[Event]) -> Iterator[str]:
    """Steps along a gradient change every answer, however little; a fit to samples in another order, what it leaves."""
    for number, (before, after) in enumerate(pairwise(prints(events, "epochs")), 2):
        if "loss" in after and before["answers"] == after["answers"]:
            yield f"epoch {number} has changed no answer: its steps did not reach the weights"
        if after.get("state") and before.get("state") == after["state"]:
            yield f"epoch {number} has left what the one before it left: nothing was fitted anew"
