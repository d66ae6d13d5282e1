"""Factors -> treatments -> randomised complete blocks; pure."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.errors import UsageError
from harness.records import CoolDown, Plan, PlannedRun, PowerModel, Record, Skipped, Treatment
from suite.spec import STAGES, Profile


class Protocol(Record):
    """A profile's protocol: the content of `plans/<profile>.toml`."""

    repetitions: int
    sample_period_s: float
    baseline_s: float
    run_timeout_s: float
    expected_run_s: float
    power_model: PowerModel
    cool_down: CoolDown = CoolDown()
    retries: int = 0


@dataclass(frozen=True)
class Candidate:
    """A workload as the planner needs to know it; `versions` maps each framework to the versions to run."""

    workload: str
    versions: Mapping[str, Sequence[str]]
    stages: tuple[str, ...]
    profile: Profile
    devices: Mapping[tuple[str, str], str] = field(default_factory=dict)  # cpu where none is named


@dataclass(frozen=True)
class Selection:
    """What the user asked for; empty means everything."""

    workloads: tuple[str, ...] = ()
    frameworks: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()


def treatments(
    candidates: Iterable[Candidate], selection: Selection, prepared: Collection[str]
) -> tuple[Treatment, ...]:
    """Every combination that the selection admits, on the preferred data set that is prepared.

    Raises: UsageError if nothing is left.
    """
    found = [
        Treatment(
            workload=candidate.workload,
            framework=framework,
            version=version,
            stage=stage,
            dataset=choose_dataset(candidate.profile.datasets, prepared),
            device=candidate.devices.get((framework, version), "cpu"),
            settings=dict(candidate.profile.settings),
        )
        for candidate in candidates
        if not selection.workloads or candidate.workload in selection.workloads
        for framework, versions in candidate.versions.items()
        if not selection.frameworks or framework in selection.frameworks
        for version in versions
        for stage in candidate.stages
        if not selection.stages or stage in selection.stages
    ]
    if not found:
        raise UsageError(f"no workload has {_words(selection)}; see: suite plan show")
    return tuple(found)


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
    """The plan of a campaign. Raises: UsageError for less than one repetition."""
    if repetitions is not None and repetitions < 1:
        raise UsageError(f"-r must be at least 1, not {repetitions}")
    values: dict[str, Any] = dict(protocol)
    values["repetitions"] = repetitions or protocol.repetitions
    return Plan(profile=profile, treatments=tuple(chosen), skipped=tuple(skipped), seed=seed, **values)


def order(plan: Plan) -> tuple[PlannedRun, ...]:
    """Preparation runs, then every treatment once a block in an order drawn from the seed (rule R21).

    `random.Random` of a string is specified to the bit, so any machine draws the same order.
    """
    several = _in_several_versions(plan)
    runs = list(_preparations(plan, several))
    for block in range(1, plan.repetitions + 1):
        drawn = list(plan.treatments)
        random.Random(f"joulemark/{plan.seed}/{block}").shuffle(drawn)
        for position, treatment in enumerate(drawn, len(runs) + 1):
            runs.append(_planned(position, block, treatment, several))
    return tuple(runs)


def _in_several_versions(plan: Plan) -> set[str]:
    pairs = {(treatment.framework, treatment.version) for treatment in plan.treatments}
    return {name for name, count in Counter(name for name, _ in pairs).items() if count > 1}


def _planned(
    position: int, block: int, treatment: Treatment, several: Collection[str], purpose: str = "measure"
) -> PlannedRun:
    """The name holds the version of a framework of which the plan has `several`."""
    one = treatment
    framework = f"{one.framework}-{one.version}" if one.framework in several else one.framework
    name = f"{position:04d}-{treatment.workload}-{framework}-{treatment.stage}"
    return PlannedRun(
        run_id=name, block=block, position=position, repetition=block, treatment=treatment, purpose=purpose
    )


def _preparations(plan: Plan, several: Collection[str]) -> Iterable[PlannedRun]:
    """One training run for each trained state that stage infer loads, by the first treatment of the plan.

    All frameworks and versions infer from the same trained weights: equal work, and equal accuracy as its proof.
    """
    needed = {state_name(t): t for t in reversed(plan.treatments) if t.stage == STAGES[1]}
    for position, (_, treatment) in enumerate(sorted(needed.items()), 1):
        training = treatment.model_copy(update={"stage": STAGES[0]})
        yield _planned(position, 0, training, several, "prepare")


def state_name(treatment: Treatment) -> str:
    """The trained state of a treatment: the same for every framework and version."""
    settings = "-".join(f"{name}={value}" for name, value in sorted(treatment.settings.items()))
    return "-".join(part for part in (treatment.workload, treatment.dataset, settings) if part)
