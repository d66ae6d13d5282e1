"""The rules of validity: one function each, from what a run left to findings. Nothing is ever deleted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.checks.counters import counter_impossible, counter_stood_still, power_repeats
from harness.checks.covering import part_exceeds_whole
from harness.checks.energy import (
    counter_disagrees,
    energy_incomplete,
    energy_not_covered,
    meter_lost,
    part_too_short,
    readings_missed,
    window_too_short,
    wrap_could_hide,
)
from harness.checks.fingerprints import AskedWork, not_asked_for
from harness.checks.gpu import foreign_check_blind, foreign_on_gpu, gpu_slowed
from harness.checks.host import host_changed, machine_shared, machine_strained
from harness.checks.standstill import stood_still
from harness.checks.telling import not_judged, untold, untrue, worked_outside
from harness.checks.work import quality_below_target, stale, unpinned
from harness.energy.series import Series
from harness.findings.codes import Severity
from harness.records import Channel, Finding, Treatment, Unavailable
from harness.worker.follow import Told
from harness.worker.judged import with_judged
from harness.worker.phases import phases
from suite.task import Metric

__all__ = [
    "AskedWork",
    "Evidence",
    "counter_disagrees",
    "counter_impossible",
    "counter_stood_still",
    "energy_incomplete",
    "energy_not_covered",
    "foreign_check_blind",
    "foreign_on_gpu",
    "gpu_slowed",
    "host_changed",
    "machine_shared",
    "machine_strained",
    "meter_lost",
    "not_asked_for",
    "not_judged",
    "of_a_run",
    "part_exceeds_whole",
    "part_too_short",
    "power_repeats",
    "quality_below_target",
    "readings_missed",
    "reason_invalid",
    "stale",
    "stood_still",
    "unpinned",
    "untold",
    "untrue",
    "window_too_short",
    "worked_outside",
    "wrap_could_hide",
]


def reason_invalid(findings: Sequence[Finding]) -> str:
    """Why a run does not count; empty if it does."""
    return "; ".join(finding.message for finding in findings if finding.severity == Severity.INVALID)


@dataclass(frozen=True)
class Evidence:
    """What a run left. `window` is go and done in CLOCK_MONOTONIC ns, None if it did not come so far."""

    treatment: Treatment
    isolation: str
    environment: Mapping[str, Any]
    suite_sha256: str  # of the checkout
    channels: Sequence[Channel]
    lost: Sequence[Unavailable]
    series: Sequence[Series]
    window: tuple[int, int] | None
    foreign: Sequence[str]  # processes on the GPU
    told: Sequence[Told]
    bye_ns: int | None
    metric: Metric | None  # of the quality, where it has one
    quality_floor: Mapping[str, float]
    missed: Mapping[str, int] = field(default_factory=dict)  # channel -> readings that failed
    tuning: tuple[Mapping[str, Any], Mapping[str, Any]] | None = None  # of the host, before and after
    asked: AskedWork | None = None  # None where nobody knows
    judged: Sequence[Mapping[str, float | None]] = ()  # of each evaluation, by the host
    parts: Sequence[str] = ()  # of its stage
    not_judged: str = ""  # why the host could not
    native: bool = False  # looked at with native frames, for which py-spy stops it
    recorded: bool = False  # by a profiler within it
    watching_cpu_s: float = 0.0  # of the sampler, and of what looked at the run: nobody else's load


def of_a_run(left: Evidence) -> Iterator[Finding]:
    """Every rule that a single run can break."""
    device = left.treatment.device
    yield from stale(left.environment, left.suite_sha256)
    yield from unpinned(left.isolation)
    yield from energy_incomplete(left.channels, device)
    yield from meter_lost(left.lost, left.channels)
    yield from readings_missed(left.missed, left.channels)
    if left.window and left.bye_ns:
        yield from untrue(left.told, left.window[0])
        yield from untold(left.told, left.treatment.stage)
        yield from worked_outside(left.series, left.window[1], left.bye_ns, left.recorded)
        yield from stood_still(left.series, left.treatment.stage, *left.window, left.native or left.recorded)
        yield from window_too_short(left.channels, *left.window)
        yield from part_too_short(left.channels, list(phases(one.event for one in left.told)), left.parts)
        yield from energy_not_covered(left.series, left.channels, *left.window)
        yield from wrap_could_hide(left.series)
        yield from counter_impossible(left.series, *left.window)
        yield from counter_stood_still(left.series, *left.window)
        yield from power_repeats(left.series, *left.window)
        yield from part_exceeds_whole(left.series, *left.window)
        yield from counter_disagrees(left.series, *left.window)
        yield from foreign_check_blind(left.series, device, *left.window)
        yield from gpu_slowed(left.series, *left.window)
        yield from machine_shared(left.series, *left.window, left.watching_cpu_s)
        yield from machine_strained(left.series, *left.window)
    if left.tuning:
        yield from host_changed(*left.tuning)
    yield from foreign_on_gpu(left.foreign)
    events = list(with_judged((one.event for one in left.told), left.judged))
    if left.window:
        yield from not_asked_for(events, left.asked)
        yield from not_judged(left.not_judged)
    yield from quality_below_target(events, left.treatment.dataset, left.metric, left.quality_floor)
