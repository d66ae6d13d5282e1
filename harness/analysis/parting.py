"""Where what one run computed parts from what another did, by more than rounding. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from suite.fingerprint import Print, by_output, items_apart, named
from suite.spec import Spread
from suite.task import SCORES

TRAINED = (
    "cross_entropy",
    "norm",
    "items",
)  # of answers from weights that have parted: of all else little is certain
SAME_STATE = (*TRAINED, "projection", "hash")


@dataclass(frozen=True)
class Left:
    """What one run left of what it computed, as suite.fingerprint makes it; `answers` are those of the last pass."""

    run_id: str
    who: str
    source: str  # the implementation, which frameworks may share
    work: Mapping[str, Any]
    epochs: Sequence[Mapping[str, Any]]
    passes: Sequence[Any] = ()
    answers: Mapping[str, Any] = field(default_factory=dict)

    @property
    def content(self) -> tuple[Any, ...]:
        return self.work, self.epochs, self.passes, self.answers


@dataclass(frozen=True)
class Bounds:
    """Of answers: `words` are those of a fingerprint that count; numbers may part by `rounding`, rows by `items`."""

    rounding: float
    items: float
    scale: float
    words: Sequence[str]

    def of(self, name: str, theirs: Mapping[str, Any]) -> float:
        """A projection cancels, so that rounding is held against the norm; of whole numbers all hashes are the same."""
        output, _, word = name.rpartition("/")
        if word in ("items", "hash"):
            return self.items if word == "items" else 0.0
        norm = _number(theirs.get(named(output or SCORES, "norm")))
        return self.rounding * (
            max(self.scale, _number(theirs.get(name))) if word == "cross_entropy" else norm
        )


def _of_one_state(spread: Spread) -> Bounds:
    return Bounds(spread.infer, spread.items, 1.0, SAME_STATE)


def from_evaluated(one: Left, trained: Left, spread: Spread) -> str:
    """Where the last pass parts from the evaluation that followed the training of its state."""
    evaluated, words = trained.epochs[-1]["answers"], "the evaluation after the training of its state"
    return _first(_answers_part("the last pass", words, one.answers, evaluated, _of_one_state(spread)))


def difference(one: Left, other: Left, spread: Spread) -> str:
    """Where the first parts from the second; empty where it does not, or where nothing was told of either."""
    if one.content == other.content:
        return ""
    return _first(_differences(one, other, spread))


def _differences(one: Left, other: Left, spread: Spread) -> Iterator[str]:
    for name in one.work:
        if name in other.work and one.work[name] != other.work[name]:
            yield f"{name} {one.work[name]}, of {other.who} {other.work[name]}"
    for word, told, others in (("epochs", one.epochs, other.epochs), ("passes", one.passes, other.passes)):
        if len(told) != len(others) and told and others:
            yield f"{len(told)} {word}, of {other.who} {len(others)}"
    yield from _epochs_part(one, other, spread)
    yield from _passes_part(one, other, spread)


def _epochs_part(one: Left, other: Left, spread: Spread) -> Iterator[str]:
    steps, scale = 0, _scale(other.epochs)
    for number, (mine, theirs) in enumerate(zip(one.epochs, other.epochs, strict=False), 1):
        where = f"epoch {number}"
        if mine["rows"] != theirs["rows"]:
            yield f"other samples, or in another order, in {where} than {other.who}"
        if number == 1:
            yield from _first_losses_part(mine, theirs, other.who, spread, scale)
        steps += mine["steps"]
        most = spread.of_losses(steps) * scale
        yield from _part(f"loss of {where}", other.who, mine.get("loss"), theirs.get("loss"), most)
        bounds = Bounds(spread.of_answers(steps), spread.trained_items, scale, TRAINED)
        yield from _answers_part(where, other.who, mine["answers"], theirs["answers"], bounds)


def _passes_part(one: Left, other: Left, spread: Spread) -> Iterator[str]:
    if not (one.answers and other.answers):
        return
    for number, passes in enumerate(zip(one.passes, other.passes, strict=False), 1):
        mine, theirs = map(by_output, passes)
        for name in {**theirs, **mine}:
            whole = isinstance(theirs.get(name), str)
            most = spread.items if whole else spread.infer * _number(other.answers.get(named(name, "norm")))
            words = f"{'items' if whole else 'projection'} of {_of(name)} in pass {number}"
            yield from _part(words, other.who, mine.get(name), theirs.get(name), most)
    yield from _answers_part("the last pass", other.who, one.answers, other.answers, _of_one_state(spread))


def _first_losses_part(
    mine: Mapping[str, Any], theirs: Mapping[str, Any], who: str, spread: Spread, scale: float
) -> Iterator[str]:
    """Of training's first steps; later ones scatter more than their means."""
    pairs = zip(mine["first_losses"], theirs["first_losses"], strict=False)
    for step, (loss, wanted) in enumerate(pairs, 1):
        yield from _part(f"loss of step {step}", who, loss, wanted, spread.of_losses(step) * scale)


def _answers_part(
    where: str, who: str, mine: Mapping[str, Any], theirs: Mapping[str, Any], bounds: Bounds
) -> Iterator[str]:
    told = sorted({*theirs, *mine}, key=lambda name: name.rpartition("/")[0])
    for word, name in ((word, name) for word in bounds.words for name in told):
        output, _, last = name.rpartition("/")
        if last == word:
            words = f"{word.replace('_', '-')} of {_of(output or SCORES)} in {where}"
            yield from _part(words, who, mine.get(name), theirs.get(name), bounds.of(name, theirs))


def _of(output: str) -> str:
    return "the answers" if output == SCORES else f"the answers' {output}"


def _part(what: str, who: str, mine: Print, theirs: Print, most: float) -> Iterator[str]:
    if isinstance(mine, str) and isinstance(theirs, str):
        if (apart := items_apart(mine, theirs)) > most:
            yield f"{what} are others than those of {who} in {apart:.0%} of the rows"
        return
    numbers = [one for one in (mine, theirs) if isinstance(one, int | float)]
    parted = abs(numbers[0] - numbers[1]) > most if len(numbers) == 2 else mine != theirs
    if parted:
        yield f"{what} {_shown(mine)}, of {who} {_shown(theirs)}"


def _number(told: Print) -> float:
    return told if isinstance(told, int | float) else 0.0


def _shown(told: Print) -> str:
    return f"{told:.6g}" if isinstance(told, int | float) else "unknown"


def _scale(epochs: Sequence[Mapping[str, Any]]) -> float:
    """The loss before much was learnt: losses near nothing are not held against themselves."""
    first = epochs[0].get("loss") if epochs else None
    return 1.0 if first is None else abs(first)


def _first(found: Iterable[str]) -> str:
    return next(iter(found), "")
