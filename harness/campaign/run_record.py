"""The record of a run: what the host saw of it, judged by the rules of validity."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from harness import checks
from harness.campaign import answered
from harness.campaign.equipment import Equipment
from harness.checks import telling
from harness.checks.results_told import WITHOUT_RESULTS
from harness.conformance.spreads import spread_of
from harness.datasets import prepared
from harness.energy.series import Series
from harness.environments.recipe import suite_sha256
from harness.findings.codes import Code
from harness.host.tuning import tuning
from harness.inventory import specs
from harness.judges.judging import Judged
from harness.profiling import spy_program
from harness.records import Outcome, PlannedRun, RunRecord, Treatment
from harness.sampling import reading
from harness.sampling.client import Recorded
from harness.store import SAMPLES_FILE
from harness.worker.follow import Told
from suite import data
from suite.fingerprint import hash_of
from suite.spec import SettingError
from suite.task import TRAIN


@dataclass
class Marks:
    """Times in CLOCK_MONOTONIC ns, the host's own unless said otherwise; None until they happen."""

    start_ns: int
    ready_ns: int | None = None
    go_ns: int | None = None
    done_ns: int | None = None  # the worker's word
    done_seen_ns: int | None = None
    done_since_ns: int | None = None  # when it had not come yet
    bye_ns: int | None = None
    exit_ns: int = 0

    @property
    def window(self) -> tuple[int, int] | None:
        """What is measured; None if it never came to its end."""
        return (self.go_ns, self.done_ns) if self.go_ns and self.done_ns else None


@dataclass
class Seen:
    """What the host sees of a run as it goes on, from its beginning; `failure` says why it is not ok."""

    conditions: Mapping[str, Any]  # of the machine before it; empty where the run was not made
    events: Sequence[Told] = ()
    started: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    marks: Marks = field(default_factory=lambda: Marks(time.monotonic_ns()))
    failure: str = ""
    exit_code: int | None = None
    foreign: tuple[str, ...] = ()
    recorded: Recorded | None = None
    profiler_cpu_s: float | None = None  # of what looked at the run, until its end
    profiler_joined: bool = False  # the container that the run was in

    def watching_cpu_s(self, series: Sequence[Series]) -> float:
        """Of the profiler, and of the sampler its share of the window: it samples before and after it, too."""
        window = self.marks.window
        if window is None or self.recorded is None or not series:
            return self.profiler_cpu_s or 0.0
        ends = [end for one in series if len(one.t_ns) for end in (one.t_ns[0], one.t_ns[-1])]
        share = min(1.0, (window[1] - window[0]) / max(1, max(ends) - min(ends))) if ends else 0.0
        return (self.profiler_cpu_s or 0.0) + share * self.recorded.cpu_s

    def told(self, kind: str) -> dict[str, Any]:
        """What the worker said in its event of this kind; empty if it never did."""
        return next((dict(one.event.data) for one in self.events if one.event.kind == kind), {})


def record_of(planned: PlannedRun, equipment: Equipment, seen: Seen) -> RunRecord:
    """What is written of a run that has ended."""
    judged = answered.judged(planned.treatment, equipment, [one.event for one in seen.events])
    evidence = _evidence(planned, equipment, seen, judged)
    findings = (*equipment.findings, *checks.of_a_run(evidence))
    invalid = checks.reason_invalid(findings)
    if any(finding.code == Code.UNTRUE_EVENTS for finding in findings):
        seen.marks.done_ns = None  # nobody knows when it was done: no energy and no time can be made of it
    return RunRecord(
        campaign_id=equipment.campaign_id,
        planned=planned,
        isolation=equipment.environment.isolation,
        environment={**equipment.environment.describe(), "cpus": list(equipment.cpus)},
        started=seen.started,
        **vars(seen.marks),
        lateness_allowed_s=telling.LATENESS_ALLOWED_S,
        cpu_before_go_s=telling.cpu_before_s(evidence.series),
        cpu_after_done_s=telling.cpu_after_s(evidence.series, seen.marks.done_ns or seen.marks.exit_ns),
        exit_code=seen.exit_code,
        outcome=Outcome.FAILED if seen.failure else Outcome.INVALID if invalid else Outcome.OK,
        reason=seen.failure or invalid,
        channels=equipment.meters.channels,
        lost=seen.recorded.lost if seen.recorded else (),
        sampler_cpu_s=seen.recorded.cpu_s if seen.recorded else None,
        conditions=dict(seen.conditions),
        facts=seen.told("facts"),
        work=seen.told("work"),
        judged=judged.values,
        judges=dict(judged.how),
        profiler=_profiler(equipment, seen),
        made_by=equipment.made_by,
        campaign_identity=equipment.campaign_identity,
        findings=findings,
    )


def _profiler(equipment: Equipment, seen: Seen) -> dict[str, Any]:
    if not equipment.profiled:
        return {}
    return {**spy_program.described(equipment.native, seen.profiler_joined), "cpu_s": seen.profiler_cpu_s}


def record_of_none(planned: PlannedRun, equipment: Equipment, reason: str) -> RunRecord:
    """What is written of a run that cannot be made."""
    seen = Seen({}, failure=reason)
    seen.marks.exit_ns = seen.marks.start_ns
    return record_of(planned, equipment, seen).model_copy(update={"outcome": Outcome.NOT_APPLICABLE})


def _evidence(planned: PlannedRun, equipment: Equipment, seen: Seen, judged: Judged) -> checks.Evidence:
    channels, window = equipment.meters.channels, seen.marks.window
    read = seen.recorded is not None and window is not None
    series = reading.read(equipment.folder / SAMPLES_FILE, channels) if read else ()
    return checks.Evidence(
        treatment=planned.treatment,
        isolation=equipment.environment.isolation,
        environment=equipment.environment.describe(),
        suite_sha256=suite_sha256(),
        channels=channels,
        lost=seen.recorded.lost if seen.recorded else (),
        missed=seen.recorded.missed if seen.recorded else {},
        series=series,
        window=window,
        foreign=seen.foreign,
        told=seen.events,
        bye_ns=seen.marks.bye_ns,
        metric=equipment.metric,
        quality_floor=equipment.quality_floor,
        asked=_asked(planned, equipment) if window else None,  # who did not end is held against nothing
        parts=_parts(planned.treatment),
        judged=judged.values,
        not_judged=judged.problem,
        native=equipment.profiled and equipment.native,
        recorded=bool(equipment.profiler),
        watching_cpu_s=seen.watching_cpu_s(series),
        tuning=(seen.conditions["settings"], tuning()) if seen.conditions else None,
    )


def _parts(treatment: Treatment) -> tuple[str, ...]:
    spec = specs.of(treatment)
    return spec.parts.get(treatment.stage, ()) if spec else ()


def _asked(planned: PlannedRun, equipment: Equipment) -> checks.AskedWork | None:
    """What every epoch takes, or how many passes there are; None where the spec or the data set is not known.

    Nor does anybody know it of data that the spec does not take as it is set, which is then why the run failed.
    """
    treatment, spec = planned.treatment, specs.of(planned.treatment)
    known = spec is not None and prepared.train_samples(treatment.dataset) is not None
    if spec is None or not known or treatment.stage in WITHOUT_RESULTS:
        return None
    if treatment.stage != TRAIN:
        return checks.AskedWork(passes=spec.infer_passes, items=spread_of(treatment).items)
    try:
        train = data.load(prepared.folder(treatment.dataset), mapped=True).cut(spec).train
    except SettingError:
        return None
    orders = (spec.order(train, equipment.seed, piece) for piece in range(1, spec.pieces + 1))
    return checks.AskedWork(epochs=[hash_of(order) for order in orders])
