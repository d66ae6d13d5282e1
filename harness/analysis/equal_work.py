"""Whether runs of the same work computed the same: their fingerprints and counts against each other's. Pure.

Every framework, mode and block of one seed has the same weights, samples and order, so losses and answers part by
rounding alone, which grows with the steps; how far, a workload's spec says (`Spread`, measured). A run with which more
than half of all implementations agree is sound, and who parts from it computed something else; where there is none,
nobody can tell which did.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from harness.analysis import kept_answers
from harness.analysis.run_rows import WORK
from harness.checks import results_told
from harness.checks.fingerprints import answers, prints
from harness.conformance.tolerances import NARROW
from harness.inventory import specs
from harness.inventory.tasks import OF_THIS_CHECKOUT, Tasks
from harness.records import Outcome, Purpose, RunRecord, Treatment
from harness.store import Run
from suite.fingerprint import Print, by_output, named
from suite.runtimes import implementation_module
from suite.spec import Spread
from suite.task import SAMPLE, SCORES, TRAIN

EXECUTION = ("mode",)  # settings that change how the work is done, and not what is computed
PRECISION = "precision"
TRAINED = ("cross_entropy", "norm")  # of answers from weights that have parted: of all else little is certain
SAME_STATE = (*TRAINED, "projection", "hash")
WORDS = "it computed something else: "
UNTOLD = "it computed nobody knows what: "


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


def parted(runs: Sequence[Run], tasks: Tasks = OF_THIS_CHECKOUT, imported: bool = False) -> dict[str, str]:
    """Run id -> why it can be compared with no other, of those that would count.

    `imported`: other tools wrote them, who tell nothing of their work; of ours, who did not tell has no vote either.
    """
    ok = [
        run
        for run in runs
        if run.record.outcome is Outcome.OK and run.record.planned.purpose == Purpose.MEASURE
    ]
    silent = {} if imported else _silent(ok, tasks)
    counted = [run for run in ok if run.record.planned.run_id not in silent]
    states = {_state(run.record): _left(run) for run in runs if run.record.planned.purpose == Purpose.PREPARE}
    found = kept_answers.too_fast(runs)
    for _, group in groupby(
        sorted(counted, key=lambda run: _group(run.record)), lambda run: _group(run.record)
    ):
        members = list(group)
        found |= _parted([_left(run) for run in members], members[0].record, states)
    return {run_id: WORDS + why for run_id, why in found.items()} | silent


def _silent(counted: Sequence[Run], tasks: Tasks) -> dict[str, str]:
    """Those of whose work nothing is stored: half of it would cost half."""
    return {
        run.record.planned.run_id: UNTOLD + results_told.words(names)
        for run in counted
        if (
            names := results_told.missing([event.kind for event in run.events], _stage(run))
            or _untold(run, tasks)
        )
    }


def _group(record: RunRecord) -> str:
    """Of runs that have the same to compute."""
    one = record.planned.treatment
    settings = sorted((name, str(value)) for name, value in one.settings.items() if name not in EXECUTION)
    return repr((one.workload, one.dataset, one.stage, one.device, settings))


def _state(record: RunRecord) -> str:
    return specs.state_name(record.planned.treatment)


def _left(run: Run) -> Left:
    record = run.record
    treatment, mode = record.planned.treatment, record.facts.get("mode")
    who = " ".join(
        filter(None, (treatment.framework, treatment.version, mode if isinstance(mode, str) else ""))
    )
    epochs, passes = prints(run.events, "epochs"), prints(run.events, "passes")
    told = next((event.data for event in reversed(run.events) if event.kind == "work"), {})
    work = {name: told[name] for name in WORK if told.get(name) is not None}
    work |= {f"{unit}s": count for unit, count in (told.get("units") or {}).items() if unit != SAMPLE}
    source = implementation_module(treatment.workload, treatment.framework)
    return Left(record.planned.run_id, who, source, work, epochs, passes, answers(run.events))


def apart(one: Run, other: Run) -> str:
    """Where a run of one campaign parts from one of another of the same work and seed; empty where it does not."""
    return difference(_left(one), _left(other), _spread(other.record.planned.treatment))


def _untold(run: Run, tasks: Tasks) -> list[str]:
    """What is not there though its events are."""
    left = _left(run)
    printed = left.epochs if _stage(run) == TRAIN else left.passes and left.answers
    units = tasks.promised(run.record.planned.treatment.workload)
    wanted = ("samples", "steps", *(f"{unit}s" for unit in units))
    missing = [name for name in wanted if name not in left.work]
    return missing if printed else [*missing, "fingerprints"]


def _stage(run: Run) -> str:
    return run.record.planned.treatment.stage


def _parted(members: Sequence[Left], record: RunRecord, states: Mapping[str, Left]) -> dict[str, str]:
    spread = _spread(record.planned.treatment)
    agreeing = [_agreeing(one, members, spread) for one in members]
    sound = members[agreeing.index(max(agreeing))]
    if max(agreeing) * 2 <= len({one.source for one in members}):
        return dict(_undecided(members, spread))
    trained = states.get(_state(record))
    if why := trained and _not_as_evaluated(sound, trained, record, spread):
        return {one.run_id: why for one in members}
    return {one.run_id: why for one in members if (why := difference(one, sound, spread))}


def _spread(treatment: Treatment) -> Spread:
    """The workload's; wider where numbers have fewer digits than float32."""
    spec = specs.of(treatment)
    spread = spec.spread if spec else Spread()
    if (least := NARROW.get(str(treatment.settings.get(PRECISION)))) is None:
        return spread
    wider = {name: max(value, least) for name, value in vars(spread).items() if name != "tenfold_steps"}
    return replace(spread, **wider)


def _agreeing(sound: Left, members: Sequence[Left], spread: Spread) -> float:
    """How many implementations agree: each has one vote, of which its runs have equal shares."""
    votes: dict[str, list[bool]] = {}
    for one in members:
        votes.setdefault(one.source, []).append(not difference(one, sound, spread))
    return sum(sum(several) / len(several) for several in votes.values())


def _undecided(members: Sequence[Left], spread: Spread) -> Iterator[tuple[str, str]]:
    """Each against the first one that it parts from."""
    for one in members:
        why = next(filter(None, (difference(one, other, spread) for other in members)))
        yield one.run_id, f"{why}; no half of the implementations agrees, so none can be told to be right"


def _not_as_evaluated(one: Left, trained: Left, record: RunRecord, spread: Spread) -> str:
    """Whoever trained the state has evaluated it; in another precision answers part by more than rounding."""
    if not (one.answers and trained.epochs) or PRECISION in record.planned.treatment.settings:
        return ""
    evaluated = trained.epochs[-1]["answers"]
    words = "the evaluation after the training of its state"
    return _first(
        _answers_part("the last pass", words, one.answers, evaluated, spread.infer, 1.0, SAME_STATE)
    )


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
        bound = spread.of_answers(steps)
        yield from _answers_part(where, other.who, mine["answers"], theirs["answers"], bound, scale, TRAINED)


def _passes_part(one: Left, other: Left, spread: Spread) -> Iterator[str]:
    if not (one.answers and other.answers):
        return
    for number, passes in enumerate(zip(one.passes, other.passes, strict=False), 1):
        mine, theirs = map(by_output, passes)
        for name in {**theirs, **mine}:
            most = spread.infer * _number(other.answers.get(named(name, "norm")))
            words = f"projection of {_of(name)} in pass {number}"
            yield from _part(words, other.who, mine.get(name), theirs.get(name), most)
    yield from _answers_part(
        "the last pass", other.who, one.answers, other.answers, spread.infer, 1.0, SAME_STATE
    )


def _first_losses_part(
    mine: Mapping[str, Any], theirs: Mapping[str, Any], who: str, spread: Spread, scale: float
) -> Iterator[str]:
    """Of training's first steps; later ones scatter more than their means."""
    pairs = zip(mine["first_losses"], theirs["first_losses"], strict=False)
    for step, (loss, wanted) in enumerate(pairs, 1):
        yield from _part(f"loss of step {step}", who, loss, wanted, spread.of_losses(step) * scale)


def _answers_part(
    where: str,
    who: str,
    mine: Mapping[str, Any],
    theirs: Mapping[str, Any],
    bound: float,
    scale: float,
    words_told: Sequence[str],
) -> Iterator[str]:
    """A projection cancels, so that rounding is held against the norm; whole numbers are the same or not."""
    told = sorted({*theirs, *mine}, key=lambda name: name.rpartition("/")[0])
    for word, name in ((word, name) for word in words_told for name in told):
        output, _, last = name.rpartition("/")
        if last == word:
            norm = _number(theirs.get(named(output or SCORES, "norm")))
            of = max(scale, _number(theirs.get(name))) if word == "cross_entropy" else norm
            words = f"{word.replace('_', '-')} of {_of(output or SCORES)} in {where}"
            yield from _part(words, who, mine.get(name), theirs.get(name), bound * of)


def _of(output: str) -> str:
    return "the answers" if output == SCORES else f"the answers' {output}"


def _part(what: str, who: str, mine: Print, theirs: Print, most: float) -> Iterator[str]:
    numbers = [one for one in (mine, theirs) if isinstance(one, int | float)]
    parted = abs(numbers[0] - numbers[1]) > most if len(numbers) == 2 else mine != theirs
    if parted:
        yield f"{what} {_shown(mine)}, of {who} {_shown(theirs)}"


def _number(told: Print) -> float:
    return told if isinstance(told, int | float) else 0.0


def _shown(told: Print) -> str:
    return "unknown" if told is None else told if isinstance(told, str) else f"{told:.6g}"


def _scale(epochs: Sequence[Mapping[str, Any]]) -> float:
    """The loss before much was learnt: losses near nothing are not held against themselves."""
    first = epochs[0].get("loss") if epochs else None
    return 1.0 if first is None else abs(first)


def _first(found: Iterable[str]) -> str:
    return next(iter(found), "")
