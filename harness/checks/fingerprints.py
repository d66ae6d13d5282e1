"""Whether a run computed what it was asked for, by what it left of every epoch and pass (suite.fingerprint).

That it computed the same as others, only all runs together show: harness.analysis.equal_work.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

from harness.findings.codes import Code
from harness.records import Finding
from suite.fingerprint import by_output, items_apart, named
from suite.protocol import Event
from suite.spec import Spread

UNSTEADY = (
    1e-2  # of the norm of all answers: rounding to a few digits changes less, an answer of another row more
)


@dataclass(frozen=True)
class AskedWork:
    """Of a stage: hashes of the rows that each epoch takes (suite.fingerprint.hash_of), or how many passes.

    `items`: the share of rows whose whole numbers may differ from pass to pass.
    """

    epochs: Sequence[str] = ()
    passes: int = 0
    items: float = Spread.items


def prints(events: Iterable[Event], name: str) -> list[Any]:
    """All that were told of `epochs` or `passes`, in order."""
    told = (event.data.get(name) or () for event in events if event.kind == "fingerprint")
    return [one for part in told for one in part]


def answers(events: Iterable[Event]) -> Mapping[str, Any]:
    """Of the last pass of stage infer; empty where none were told."""
    found = [
        event.data["answers"] for event in events if event.kind == "fingerprint" and event.data.get("answers")
    ]
    return found[-1] if found else {}


def not_asked_for(events: Sequence[Event], asked: AskedWork | None) -> Iterable[Finding]:
    """Other epochs, passes or rows, no finite number, no training, kept answers. `asked`: None where nobody knows."""
    items = (asked or AskedWork()).items
    found = chain(_wrong(events, asked), _infinite(events), _unmoved(events), _unsteady(events, items))
    if wrong := next(found, None):
        yield Finding.of(Code.OTHER_WORK, wrong)


def _wrong(events: Sequence[Event], asked: AskedWork | None) -> Iterator[str]:
    if asked is None:
        return
    epochs, passes = prints(events, "epochs"), prints(events, "passes")
    for word, told, wanted in (
        ("epochs", len(epochs), len(asked.epochs)),
        ("passes", len(passes), asked.passes),
    ):
        if told != wanted:
            yield f"it computed {told} {word} of {wanted}"
    if passes and not answers(events):
        yield "it told no answers of its last pass"
    for number, (one, rows) in enumerate(zip(epochs, asked.epochs, strict=False), 1):
        if one["rows"] != rows:
            yield f"the steps of epoch {number} took other samples, or in another order, than the plan says"


def _infinite(events: Sequence[Event]) -> Iterator[str]:
    for number, one in enumerate(prints(events, "epochs"), 1):
        if None in [*one["answers"].values(), *one["first_losses"], one.get("loss", 0.0)]:
            yield f"epoch {number} has a loss or answers that are no finite number"
    passes = [None in by_output(one).values() for one in prints(events, "passes")]
    if any(passes) or None in answers(events).values():
        number = passes.index(True) + 1 if any(passes) else len(passes)
        yield f"pass {number} has answers that are no finite number"


def _unmoved(events: Sequence[Event]) -> Iterator[str]:
    """Steps along a gradient change every score, however little; a fit to samples in another order, what it leaves.

    Whole numbers, as those of words that were chosen, may stay.
    """
    for number, (before, after) in enumerate(pairwise(prints(events, "epochs")), 2):
        scores = {name: one for name, one in after["answers"].items() if not isinstance(one, str)}
        if "loss" in after and scores and scores.items() <= before["answers"].items():
            yield f"epoch {number} has changed no answer: its steps did not reach the weights"
        if after.get("state") and before.get("state") == after["state"]:
            yield f"epoch {number} has left what the one before it left: nothing was fitted anew"


def _unsteady(events: Sequence[Event], items: float) -> Iterator[str]:
    """All passes ask for the answers to the same rows, each in an order of its own, which what is told of them undoes.

    Once all are known to be finite.
    """
    last = answers(events)
    for number, told in enumerate(prints(events, "passes"), 1):
        if last and not all(
            _as_the_last(output, one, last, items) for output, one in by_output(told).items()
        ):
            yield f"pass {number} has other answers than the last one, though it asked for the same rows"


def _as_the_last(output: str, one: Any, last: Mapping[str, Any], items: float) -> bool:
    if isinstance(one, str):
        whole = last.get(named(output, "items"), last.get(named(output, "hash")))
        return isinstance(whole, str) and items_apart(one, whole) <= items
    wanted, norm = (last.get(named(output, word)) for word in ("projection", "norm"))
    if not isinstance(wanted, int | float) or not isinstance(norm, int | float):
        return False
    return abs(float(one) - wanted) <= UNSTEADY * norm
