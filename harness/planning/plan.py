"""Factors -> treatments -> randomised complete blocks; pure."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

from harness.devices import HOST
from harness.errors import UsageError
from harness.inventory import abilities, specs
from harness.planning import plan_limits, profilers, turns
from harness.planning.plan_files import Protocol, Value
from harness.records import Plan, PlannedRun, Profiler, Purpose, Skipped, Treatment
from suite.protocol import CONTROL
from suite.task import TRAIN

T = TypeVar("T")


@dataclass(frozen=True)
class Candidate:
    """A workload as the planner needs to know it; `versions` maps each framework to the versions to run.

    `datasets` and `combinations` are levels of factors.
    """

    workload: str
    versions: Mapping[str, Sequence[str]]
    stages: tuple[str, ...]
    datasets: tuple[str, ...]
    combinations: Sequence[Mapping[str, Value]] = ({},)
    devices: Mapping[tuple[str, str], str] = field(default_factory=dict)  # cpu where none is named

    @property
    def most_treatments(self) -> int:
        versions = sum(map(len, self.versions.values()))
        return versions * len(self.stages) * len(self.datasets) * len(self.combinations)


@dataclass(frozen=True)
class Selection:
    """What the user asked for; empty means everything."""

    workloads: tuple[str, ...] = ()
    frameworks: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()


def treatments(
    candidates: Iterable[Candidate], selection: Selection, exclude: Sequence[Mapping[str, Value]] = ()
) -> tuple[Treatment, ...]:
    """Every combination that the selection admits and no predicate excludes.

    A predicate, {"framework": "jax", "batch_size": 32}, holds where all of it does.
    Raises: UsageError if nothing is left, or if there are more than a plan may have.
    """
    candidates = list(candidates)
    plan_limits.require_few_treatments(sum(one.most_treatments for one in candidates))
    found = [
        Treatment(
            workload=candidate.workload,
            framework=framework,
            version=version,
            stage=stage,
            dataset=dataset,
            device=candidate.devices.get((framework, version), HOST),
            settings=dict(settings),
        )
        for candidate in candidates
        if not selection.workloads or candidate.workload in selection.workloads
        for framework, versions in candidate.versions.items()
        if not selection.frameworks or framework in selection.frameworks
        for version in versions
        for stage in candidate.stages
        if not selection.stages or stage in selection.stages
        for dataset in candidate.datasets
        for settings in candidate.combinations
    ]
    kept = [treatment for treatment in found if not _excluded(treatment, exclude)]
    if not kept:
        raise UsageError(f"no workload has {_words(selection)}; see: suite plan show")
    return tuple(kept)


def holds(predicate: Mapping[str, Value], treatment: Treatment) -> bool:
    """Whether a treatment has every level that the predicate names, be it of a factor or of a setting."""
    return _excluded(treatment, [predicate])


def _excluded(treatment: Treatment, predicates: Sequence[Mapping[str, Value]]) -> bool:
    levels = {**treatment.settings, **treatment.model_dump(exclude={"settings"})}
    return any(
        all(name in levels and levels[name] == level for name, level in one.items()) for one in predicates
    )


def _words(selection: Selection) -> str:
    chosen = [*selection.workloads, *selection.frameworks, *selection.stages]
    return "an implementation for the combination " + " + ".join(chosen)


def choose_dataset(preferred: Sequence[str], prepared: Collection[str]) -> str:
    """The first one at hand; the last resort is the last one named, which is embedded."""
    return next((name for name in preferred if name in prepared), preferred[-1])


def make(
    profile: str,
    protocol: Protocol,
    chosen: Sequence[Treatment],
    skipped: Sequence[Skipped],
    seed: int,
    repetitions: int | None = None,
) -> Plan:
    """The plan of a campaign. Raises: UsageError for less than one repetition, or too many runs."""
    if repetitions is not None and repetitions < 1:
        raise UsageError(f"-r must be at least 1, not {repetitions}")
    plan_limits.require_few_runs(len(chosen), repetitions or protocol.repetitions)
    values: dict[str, Any] = dict(protocol)
    values["repetitions"] = repetitions or protocol.repetitions
    return Plan(profile=profile, treatments=tuple(chosen), skipped=tuple(skipped), seed=seed, **values)


def duration_s(plan: Plan, runs: int) -> float:
    """What a campaign will take, by the plan's own word for a run."""
    waits_s = plan.idle_s + (plan.cool_down.at_least_s if plan.cool_down.at_most_s else 0.0)
    baselines = plan.repetitions + plan.profile_runs
    return plan.warm_up_s + baselines * plan.baseline_s + runs * (plan.expected_run_s + waits_s)


def fewest_runs(plan: Plan) -> int:
    """For which its disk must have room before it begins: all, or by turns those up to the first looks."""
    first_looks = plan.until.looks[0] if plan.turns and plan.until else plan.repetitions
    return sum(one.block <= first_looks or one.purpose == Purpose.PROFILE for one in order(plan))


def order(plan: Plan) -> tuple[PlannedRun, ...]:
    """Preparation runs, then blocks: a control run, and every treatment in an order drawn from the seed (rule R21).

    By turns where time is short: then each block of each work has its own place, drawn within it.
    What runs under a profiler comes last, in blocks of its own: what it leaves behind (heat, a full page cache, the
    reading of its stacks) reaches no measured run, and where an adaptive campaign stops does not depend on it.

    `random.Random` of a string is specified to the bit, so any machine draws the same order.
    """
    several = _in_several_versions(plan)
    runs = _by_turns(plan, several) if plan.turns else _by_blocks(plan, several)
    for block in range(plan.repetitions + 1, plan.repetitions + plan.profile_runs + 1):
        runs += _profiled_block(plan, block, len(runs), several)
    return tuple(runs)


def _by_blocks(plan: Plan, several: Collection[str]) -> list[PlannedRun]:
    runs = list(_preparations(plan, several))
    for block in range(1, plan.repetitions + 1):
        if plan.control_rounds:
            runs.append(_control(plan, len(runs) + 1, block))
        runs += _block(plan, block, len(runs), several)
    return runs


def _by_turns(plan: Plan, several: Collection[str]) -> list[PlannedRun]:
    """What a state is trained for comes right after it; a control run before the first run of each block."""
    runs: list[PlannedRun] = []
    trainings, controls = (
        _trainings(plan),
        list(range(plan.repetitions, 0, -1)) if plan.control_rounds else [],
    )
    places = _drawn_places(plan)
    for block, treatments in turns.turns(plan):
        for state in sorted({specs.state_name(one) for one in treatments if specs.needs_state(one)}):
            if training := trainings.pop(state, None):
                runs.append(_planned(len(runs) + 1, 0, training, several, Purpose.PREPARE))
        if controls and controls[-1] == block:
            runs.append(_control(plan, len(runs) + 1, controls.pop()))
        drawn = sorted(treatments, key=lambda one: places(block)[one.model_dump_json()])
        runs += [_planned(place, block, one, several) for place, one in enumerate(drawn, len(runs) + 1)]
    return runs


def _drawn_places(plan: Plan) -> Callable[[int], Mapping[str, int]]:
    """Of a block the place of each treatment's record in the order that the seed gives it."""
    names = [one.model_dump_json() for one in plan.treatments]

    @cache
    def places(block: int) -> Mapping[str, int]:
        return {name: place for place, name in enumerate(in_drawn_order(plan, block, names))}

    return places


def _block(plan: Plan, block: int, before: int, several: Collection[str]) -> list[PlannedRun]:
    """Every treatment once; so many runs are `before` it."""
    drawn = in_drawn_order(plan, block, plan.treatments)
    return [_planned(before + place, block, one, several) for place, one in enumerate(drawn, 1)]


def _profiled_block(plan: Plan, block: int, before: int, several: Collection[str]) -> list[PlannedRun]:
    """Every treatment once under each profiler that can look at it, one after the other."""
    drawn = in_drawn_order(plan, block, plan.treatments)
    pairs = ((one, tool) for one in drawn for tool in profilers.of(one, plan.profile_tools))
    return [
        _under(tool, _planned(before + place, block, one, several, Purpose.PROFILE))
        for place, (one, tool) in enumerate(pairs, 1)
    ]


def _under(tool: Profiler, planned: PlannedRun) -> PlannedRun:
    """A run that is looked at from outside is called and kept as it was before there was another way."""
    if tool is Profiler.PY_SPY:
        return planned
    name = f"{planned.run_id.removesuffix(f'-{Purpose.PROFILE}')}-{tool}"
    return planned.model_copy(update={"run_id": name, "profiler": tool})


def in_drawn_order(plan: Plan, block: int, items: Sequence[T]) -> list[T]:
    """What stands for the plan's treatments, one for one, in the order that the seed gives them in a block."""
    drawn = list(items)
    random.Random(f"joulemark/{plan.seed}/{block}").shuffle(drawn)
    return drawn


def _in_several_versions(plan: Plan) -> set[str]:
    pairs = {(treatment.framework, treatment.version) for treatment in plan.treatments}
    return {name for name, count in Counter(name for name, _ in pairs).items() if count > 1}


def _planned(
    position: int,
    block: int,
    treatment: Treatment,
    several: Collection[str],
    purpose: Purpose = Purpose.MEASURE,
) -> PlannedRun:
    """The name holds the version of a framework of which the plan has `several`, and that its run is profiled."""
    one = treatment
    framework = f"{one.framework}-{one.version}" if one.framework in several else one.framework
    profiled = f"-{purpose}" if purpose is Purpose.PROFILE else ""
    name = f"{position:04d}-{treatment.workload}-{framework}-{treatment.stage}{profiled}"
    return PlannedRun(
        run_id=name, block=block, position=position, repetition=block, treatment=treatment, purpose=purpose
    )


def _control(plan: Plan, position: int, block: int) -> PlannedRun:
    """A container at rest, then fixed work, always in the same environment (rules R25, R27)."""
    host = min(plan.treatments, key=lambda one: (one.framework, one.version, one.dataset))
    settings = {"idle_s": plan.baseline_s, "rounds": plan.control_rounds}
    treatment = host.model_copy(update={"workload": CONTROL, "stage": CONTROL, "settings": settings})
    return PlannedRun(
        run_id=f"{position:04d}-{CONTROL}", block=block, position=position, repetition=block, treatment=treatment,
        purpose=Purpose.CONTROL,
    )  # fmt: skip


def _preparations(plan: Plan, several: Collection[str]) -> Iterable[PlannedRun]:
    for position, training in enumerate(_trainings(plan).values(), 1):
        yield _planned(position, 0, training, several, Purpose.PREPARE)


def _trainings(plan: Plan) -> dict[str, Treatment]:
    """By the name of each trained state that stage infer loads, its one training, by the first treatment of the plan.

    All frameworks and versions infer from the same trained weights: equal work, and equal accuracy as its proof.
    """
    able = [one for one in plan.treatments if abilities.of(one.framework).trains]
    by_need = sorted(able, key=lambda one: not specs.needs_state(one))  # stable
    trainers = {specs.state_name(one): one for one in reversed(by_need)}
    needed = sorted({specs.state_name(one) for one in plan.treatments if specs.needs_state(one)})
    return {
        name: trainers[name].model_copy(
            update={"stage": TRAIN, "settings": specs.settings_of_its_training(trainers[name])}
        )
        for name in needed
    }
