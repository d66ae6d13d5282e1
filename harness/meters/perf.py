"""The kernel's `power` PMU: the same registers as `rapl`, read through perf_event_open(2).

An alternative, for hosts that grant perf but not powercap: in the run's energy only where `rapl` is unavailable.
The kernel widens the counters to 64 bits itself by a timer, as long as they are read every few seconds (rule R5).
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Sequence
from pathlib import Path

from harness.meters import rapl
from harness.meters.base import MeterConfiguration, MeterLost, Reader, Readings
from harness.meters.rapl_host import Host, read_host
from harness.meters.rapl_perf_event import open_event, read_count
from harness.meters.rapl_pmu import PowerEvent, power_events
from harness.meters.rapl_probe import standing_still
from harness.meters.rapl_zones import ADDENDS, BARE_METAL
from harness.records import Channel, ChannelKind, Provenance, Unavailable

PMU = Path("/sys/bus/event_source/devices/power")
PARANOID = Path("/proc/sys/kernel/perf_event_paranoid")
WHOLE_MACHINE = -1
PERMIT = (
    "sysctl kernel.perf_event_paranoid=0, or give the sampler's Python interpreter CAP_PERFMON "
    "(setcap cap_perfmon+ep on a copy of it), or run as root"
)


def find(configuration: MeterConfiguration) -> PerfMeter | Unavailable:
    return find_on(PMU, read_host(), alternative=isinstance(rapl.find(configuration), rapl.RaplMeter))


def find_on(pmu: Path, host: Host, alternative: bool) -> PerfMeter | Unavailable:
    """`alternative`: another meter already counts these registers into the run's energy."""
    if not pmu.exists():
        return _lacking(
            f"{pmu} does not exist: the kernel offers no power PMU (a virtual machine, or no RAPL)"
        )
    try:
        events = power_events(pmu, host)
        meter = PerfMeter(events, _channels(events, rapl.provenance(pmu, host), alternative))
        still = standing_still(meter.open(None))
    except (MeterLost, OSError, ValueError, KeyError) as error:
        return _refused(error)
    packages = [event.channel for event in events if event.domain == "cpu_package" and event.channel in still]
    return _lacking(f"{packages[0]} reads constant: it does not count") if packages else meter


def _lacking(reason: str) -> Unavailable:
    return Unavailable(meter="perf", reason=reason, remedy=BARE_METAL)


def _refused(error: Exception) -> Unavailable:
    cause = error.__cause__ if isinstance(error, MeterLost) else error
    if isinstance(cause, OSError) and cause.errno in (errno.EACCES, errno.EPERM):
        return Unavailable(
            meter="perf", reason=f"{error}; perf_event_paranoid is {_paranoid()}", remedy=PERMIT
        )
    return _lacking(f"the power PMU cannot be used: {error}")


def _paranoid() -> str:
    """Documentation/admin-guide/sysctl/kernel.rst: over 0, whole-CPU counters need CAP_PERFMON (rule R6)."""
    try:
        return PARANOID.read_text().strip()
    except OSError:
        return "unknown"


def _channels(events: Sequence[PowerEvent], source: Provenance, alternative: bool) -> tuple[Channel, ...]:
    note = "the registers of rapl by another way: not added" if alternative else ""
    return tuple(
        Channel(
            name=event.channel,
            meter="perf",
            unit="J",
            kind=ChannelKind.COUNTER,
            provenance=source,
            domain=event.domain,
            boundary=event.domain in ADDENDS and not alternative,
            resolution=event.scale_j,
            note=rapl.MODELLED if source is Provenance.ESTIMATED else note,
        )
        for event in events
    )


class PerfMeter:
    """Counters in joules since their opening."""

    needs_process = False
    period_s = None

    def __init__(self, events: Sequence[PowerEvent], channels: tuple[Channel, ...]) -> None:
        self._events = tuple(events)
        self.channels = channels

    def open(self, pid: int | None) -> Reader:
        return _EventReader(self._events)


class _EventReader:
    """Opens the counters at the first reading, which is therefore near 0."""

    def __init__(self, events: Sequence[PowerEvent]) -> None:
        self._events = events
        self._open: list[tuple[PowerEvent, int]] = []

    def __call__(self) -> Readings:
        try:
            for event in self._events[len(self._open) :]:
                self._open.append((event, open_event(event.kind, event.config, WHOLE_MACHINE, event.cpu)))
            return {event.channel: read_count(fd) * event.scale_j for event, fd in self._open}
        except (OSError, struct.error) as error:
            raise MeterLost(f"perf_event_open of the power PMU: {error}") from error

    def __del__(self) -> None:
        for _, fd in self._open:
            os.close(fd)
