"""Whether runs of the same work computed the same: their fingerprints and counts against each other's. Pure.

Every framework, mode and block of one seed has the same weights, samples and order, so losses and answers part by
rounding alone, which grows with the steps; how far, a workload's spec says (`Spread`, measured). A run with which more
than half of all implementations agree is sound, and who parts from it computed something else; where there is none,
nobody can tell which did.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from harness.analysis import kept_answers
from harness.analysis.parting import Left, difference, from_evaluated
from harness.analysis.run_rows import WORK
from harness.checks import results_told
from harness.checks.fingerprints import answers, prints
from harness.conformance.spreads import PRECISION, spread_of
from harness.inventory import specs
from harness.inventory.tasks import OF_THIS_CHECKOUT, Tasks
from harness.records import Outcome, Purpose, RunRecord
from harness.store import Run
from suite.runtimes import implementation_module
from suite.spec import Spread
from suite.task import SAMPLE, TRAIN

EXECUTION = ("mode",)  # settings that change how the work is done, and not what is computed
WORDS = "it computed something else: "
UNTOLD = "it computed nobody knows what: "


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
    found = kept_answers.too_fast(runs) | kept_answers.again_too_fast(counted, tasks)
    for _, group in groupby(
        sorted(counted, key=lambda run: _group(run.record)), lambda run: _group(run.record)
    ):
        members = list(group)
        found |= _parted([_left(run) for run in members], members[0].record, states)
    return {run_id: WORDS + why for run_id, why in found.items()} | silent


def _silent(counted: Sequence[Run], tasks: Tasks) -> dict[str, str]:
    """Those of whose work nothing is stored: half of it would cost half."""
    found = {run.record.planned.run_id: _silence(run, tasks) for run in counted}
    return {run_id: UNTOLD + why for run_id, why in found.items() if why}


def _silence(run: Run, tasks: Tasks) -> str:
    kinds = [event.kind for event in run.events]
    if names := results_told.missing(kinds, _stage(run)) or _untold(run, tasks):
        return results_told.words(names)
    names = _unjudged(run, tasks)
    return f"no judgement of its {' and '.join(names)} by the host is stored" if names else ""


def _unjudged(run: Run, tasks: Tasks) -> list[str]:
    """Metrics that the host judges, and of some evaluation has not."""
    wanted = tasks.task(run.record.planned.treatment.workload).judged_on_host
    evaluations = sum(event.kind == "metrics" for event in run.events)
    judged = run.record.judged
    return [
        name for name in wanted if len(judged) != evaluations or any(one.get(name) is None for one in judged)
    ]


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
    return difference(_left(one), _left(other), spread_of(other.record.planned.treatment))


def _untold(run: Run, tasks: Tasks) -> list[str]:
    """What is not there though its events are."""
    left = _left(run)
    printed = left.epochs if _stage(run) == TRAIN else left.passes and left.answers
    units = tasks.promised(run.record.planned.treatment.workload, _stage(run))
    wanted = ("samples", "steps", *(f"{unit}s" for unit in units))
    missing = [name for name in wanted if name not in left.work]
    return missing if printed else [*missing, "fingerprints"]


def _stage(run: Run) -> str:
    return run.record.planned.treatment.stage


def _parted(members: Sequence[Left], record: RunRecord, states: Mapping[str, Left]) -> dict[str, str]:
    spread = spread_of(record.planned.treatment)
    agreeing = [_agreeing(one, members, spread) for one in members]
    sound = members[agreeing.index(max(agreeing))]
    if max(agreeing) * 2 <= len({one.source for one in members}):
        return dict(_undecided(members, spread))
    trained = states.get(_state(record))
    if why := trained and _not_as_evaluated(sound, trained, record, spread):
        return {one.run_id: why for one in members}
    return {one.run_id: why for one in members if (why := difference(one, sound, spread))}


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
    """Whoever trained the state has evaluated it, by the answers of one stage.

    In another precision answers part by more than rounding.
    """
    treatment, spec = record.planned.treatment, specs.of(record.planned.treatment)
    other_stage = spec is not None and treatment.stage != spec.evaluated_by
    if not (one.answers and trained.epochs) or PRECISION in treatment.settings or other_stage:
        return ""
    return from_evaluated(one, trained, spread)
