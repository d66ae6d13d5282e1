"""Joules of any interval inside the run's boundary, gross and net of idle, with their uncertainty; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt

import numpy as np

from harness.energy.plausible import Breach, breaches
from harness.energy.series import Amount, Series, gauge_integral, increase, seconds
from harness.records import Channel, ChannelKind, Provenance

AT_WORK = ("compute_processes", "gpu_utilisation")  # of a GPU, where they are not 0


@dataclass(frozen=True)
class Energy:
    """Joules of an interval, or None with the reason; `domains` holds the addends, `uncertainty_j` covers 95 %.

    `resolution_j`: the smallest step that the sum can make; None where an addend's is not known.
    """

    energy_j: float | None
    provenance: Provenance | None
    domains: dict[str, float] = field(default_factory=dict)
    reason: str = ""
    uncertainty_j: float | None = None
    resolution_j: float | None = None


def run_energy(
    series: Sequence[Series],
    channels: Sequence[Channel],
    begin_ns: int,
    end_ns: int,
    doubts: Sequence[Breach] = (),
) -> Energy:
    """The energy inside the run's boundary: the sum over its channels, or the reason why there is none.

    `doubts`, as `doubts_of` finds them: an interval that one of them touches has no energy.
    """
    wanted = [channel for channel in channels if channel.boundary]
    if not wanted:
        return Energy(None, None, reason="no energy channel on this machine")
    if wrong := next((one for one in doubts if one.overlaps(begin_ns, end_ns)), None):
        return Energy(None, None, reason=f"{wrong.channel.name} cannot be right: {wrong.why}")
    provenances = sum_provenances(wanted)
    if len(provenances) > 1:
        return Energy(None, None, reason=f"provenances mixed: {', '.join(sorted(provenances))}")
    by_name = {one.channel.name: one for one in series}
    found = {c.name: joules(by_name[c.name], begin_ns, end_ns) for c in wanted if c.name in by_name}
    known = {name: amount for name, amount in found.items() if amount is not None}
    missing = [channel.name for channel in wanted if channel.name not in known]
    if missing:
        return Energy(None, None, reason=f"{', '.join(missing)} did not cover the interval")
    return _sum(wanted, known, provenances.pop(), seconds(begin_ns, end_ns))


def doubts_of(series: Sequence[Series]) -> list[Breach]:
    """Where the run's addends cannot be right, all over the recording."""
    return [breach for one in series if one.channel.boundary for breach in breaches(one)]


def joules(series: Series, begin_ns: int, end_ns: int) -> Amount | None:
    """A channel's energy: the growth of a counter in joules, or the integral of a gauge in watts."""
    measure = increase if series.channel.kind is ChannelKind.COUNTER else gauge_integral
    return measure(series, begin_ns, end_ns)


def sum_provenances(channels: Sequence[Channel]) -> set[Provenance]:
    """What a sum over these channels is: integrated power is derived, and so is a sum with derived addends."""
    found = {
        Provenance.DERIVED
        if channel.kind is ChannelKind.GAUGE and channel.provenance is Provenance.MEASURED
        else channel.provenance
        for channel in channels
    }
    return found - {Provenance.MEASURED} if Provenance.DERIVED in found else found


def _sum(
    channels: Sequence[Channel], amounts: Mapping[str, Amount], provenance: Provenance, duration_s: float
) -> Energy:
    domains: dict[str, float] = {}
    for channel in channels:
        domains[channel.domain] = domains.get(channel.domain, 0.0) + amounts[channel.name].value
    uncertainty_j, resolution_j = _uncertainty_j(channels, amounts), _resolution_j(channels, duration_s)
    return Energy(sum(domains.values()), provenance, domains, "", uncertainty_j, resolution_j)


def _uncertainty_j(channels: Sequence[Channel], amounts: Mapping[str, Amount]) -> float | None:
    """Errors of one meter's channels add up: it reads them at one time, and their power rises and falls together."""
    errors_j: dict[str, float] = {}
    for channel in channels:
        error_j = amounts[channel.name].uncertainty
        if error_j is None:
            return None
        errors_j[channel.meter] = errors_j.get(channel.meter, 0.0) + error_j
    return sqrt(sum(error_j**2 for error_j in errors_j.values()))


def _resolution_j(channels: Sequence[Channel], duration_s: float) -> float | None:
    """A step of any counter, or of a gauge all the time, is one of the sum."""
    steps_j = [
        channel.resolution and channel.resolution * (duration_s if channel.kind is ChannelKind.GAUGE else 1.0)
        for channel in channels
    ]
    known = [step_j for step_j in steps_j if step_j]
    return max(known) if len(known) == len(steps_j) else None


def idle_power_w(series: Sequence[Series], channels: Sequence[Channel]) -> float | None:
    """Mean power inside the boundary over a baseline recording.

    None if it does not cover the boundary, or cannot be right: where a GPU was at work for most of it, it was not idle.
    """
    if any(_at_work(one) for one in series):
        return None
    spans = [
        (int(one.t_ns[0]), int(one.t_ns[-1])) for one in series if one.channel.boundary and len(one.t_ns)
    ]
    if not spans:
        return None
    begin_ns, end_ns = max(first for first, _ in spans), min(last for _, last in spans)
    energy = run_energy(series, channels, begin_ns, end_ns, doubts_of(series))
    if (
        not energy.energy_j or end_ns <= begin_ns
    ):  # what is on draws something: the counter has not moved on yet
        return None
    return energy.energy_j / seconds(begin_ns, end_ns)


def _at_work(one: Series) -> bool:
    """Of a GPU: the process that was there before may be told for a moment longer."""
    told = one.channel.name.rpartition("/")[2] in AT_WORK
    return told and len(one.values) > 0 and float(np.median(one.values)) > 0


def net_j(energy_j: float | None, idle_w: float | None, duration_s: float) -> float | None:
    """Gross energy minus what the idle machine would have used in the same time (rule R25)."""
    return None if energy_j is None or idle_w is None else energy_j - idle_w * duration_s
