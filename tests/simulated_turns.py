"""A campaign by turns on a simulated machine: nothing is run, time passes as runs would take it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np

from harness.analysis import adaptive
from harness.analysis.sequential import follow
from harness.campaign.by_turns import ByTurns
from harness.campaign.remaining import Remaining
from harness.campaign.time_left import TimeLeft
from harness.planning import plan, turns
from harness.planning.plan_files import Protocol
from harness.records import DecidedRatio, Outcome, Plan, PlannedRun, PowerModel, Purpose, Treatment
from harness.records.planned import Work
from tests.observers import Silent

PROTOCOL = Protocol(repetitions=10, sample_period_s=0.1, baseline_s=0, run_timeout_s=60, expected_run_s=7,
                    power_model=PowerModel(idle_w=10, busy_cpu_w=8))  # fmt: skip
QUANTITIES = ("energy_j", "duration_s")


def planned(
    workloads: Sequence[str], frameworks: Sequence[str], most: int = 10, stages: Sequence[str] = ("train",)
) -> Plan:
    """As planner.make_plan has it of workloads that nobody knows."""
    treatments = [
        Treatment(workload=name, framework=framework, version="1", stage=stage, dataset="d")
        for name in workloads
        for framework in frameworks
        for stage in stages
    ]
    made = plan.make("quick", PROTOCOL, treatments, (), seed=1, repetitions=most)
    made = made.model_copy(update={"turns": tuple(workloads)})
    rule = adaptive.declare(treatments, 0.02, most, opening=turns.opening(made))
    return made.model_copy(update={"until": rule})


@dataclass
class Machine:
    """Runs take the median seconds of their treatment, with noise on a log scale; so does what they cost in joules."""

    plan: Plan
    order: Sequence[PlannedRun]
    median_s: Mapping[str, float]  # by the treatment's label
    noise: float
    random: np.random.Generator
    now_s: float = 0.0
    logs: dict[tuple[Work, str, str, int], float] = field(
        default_factory=dict
    )  # work, framework, quantity, block
    observer: Any = field(default_factory=Silent)

    def take_baseline(self, block: int) -> None: ...

    def cool_down(self) -> tuple[()]:
        return ()

    def run(self, one: PlannedRun, findings: object = ()) -> Any:
        treatment = one.treatment
        noise = self.random.normal(0.0, self.noise, 2)
        self.now_s += self.median_s[treatment.label] * float(np.exp(noise[1]))
        for quantity, value in zip(QUANTITIES, noise, strict=True):
            level = np.log(self.median_s[treatment.label])
            self.logs[treatment.work, treatment.framework, quantity, one.block] = level + value
        return SimpleNamespace(outcome=Outcome.OK)

    def clock(self) -> float:
        return self.now_s

    def ratios(self, work: Work | None = None) -> tuple[DecidedRatio, ...]:
        return tuple(one for each in ([work] if work else dict.fromkeys(t.work for t in self.plan.treatments))
                     for one in self._of(each))  # fmt: skip

    def _of(self, work: Work) -> Iterator[DecidedRatio]:
        assert self.plan.until is not None
        reference, *others = dict.fromkeys(t.framework for t in self.plan.treatments if t.work == work)
        schedule = adaptive.schedule_of(self.plan.until, work)
        for other in others:
            for quantity in QUANTITIES:
                if (differences := self._differences(work, other, reference, quantity)).size:
                    look = follow(differences, schedule, self.plan.until.margin)
                    yield DecidedRatio(
                        **dict(zip(("workload", "dataset", "stage", "device", "settings"), work, strict=True)),
                        treatment=other, reference=reference, quantity=quantity, decision=look.decision,
                        verdict=look.ratio.verdict, blocks=look.ratio.blocks, ratio=look.ratio.ratio,
                        low=look.ratio.low, high=look.ratio.high,
                    )  # fmt: skip

    def _differences(self, work: Work, other: str, reference: str, quantity: str) -> np.ndarray[Any, Any]:
        found = []
        for block in range(1, self.plan.repetitions + 1):
            pair = [self.logs.get((work, name, quantity, block)) for name in (other, reference)]
            if None not in pair:
                found.append(pair[0] - pair[1])  # type: ignore[operator]
        return np.array(found)


def machine(made: Plan, median_s: Mapping[str, float] | float, noise: float, seed: int) -> Machine:
    """Where all runs take as long, no ratio is another than 1."""
    labels = [one.label for one in made.treatments]
    several = dict.fromkeys(labels, median_s) if isinstance(median_s, float) else median_s
    return Machine(made, plan.order(made), several, noise, np.random.default_rng(seed))


def carried_out(
    one: Machine,
    budget_s: float,
    done: dict[str, Outcome] | None = None,
    proofs: Any = None,
    guessed_s: Mapping[str, float] = MappingProxyType({}),
) -> ByTurns:
    """Until time or answers end it, from now on. `guessed_s`: what runs take, by the treatment's record."""
    left = TimeLeft(one.now_s + budget_s, Remaining(one.order, PROTOCOL.expected_run_s, one.now_s, guessed_s))
    campaign: Any = SimpleNamespace(plan=one.plan, order=one.order, fail_fast=False, folder=Path("none"))
    made = ByTurns(campaign, one, {} if done is None else done, one, proofs, left, one.clock)  # type: ignore[arg-type]
    made.carry_out()
    return made


def blocks(made: ByTurns) -> dict[Work, int]:
    """How many of each work."""
    found: dict[Work, int] = {}
    for one in made.made:
        if one.purpose == Purpose.MEASURE:
            found[one.treatment.work] = max(found.get(one.treatment.work, 0), one.block)
    return found
