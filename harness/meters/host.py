"""What the whole machine did besides: CPU time of everybody, swapping, throttling, and the wall clock's jumps.

No energy: these channels tell whether a run had the machine for itself (rules R19 and R37).
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from harness.meters.base import MeterConfiguration, MeterLost, Reader, Readings
from harness.records import Channel, ChannelKind, Provenance, Unavailable

CPU_BUSY, CPU_STOLEN = "host/cpu_busy", "host/cpu_stolen"
SWAPPED_OUT, THROTTLES, WALL_CLOCK = "host/swapped_out", "host/throttles", "host/wall_clock"
PROC = Path("/proc")
THROTTLE_COUNTS = "/sys/devices/system/cpu/cpu*/thermal_throttle/package_throttle_count"
TICKS_PER_S, PAGE_BYTES = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
IDLE_FIELDS = (3, 4)  # idle, iowait (proc_stat(5))
GUEST_FIELD = 8  # from here on: contained in user and nice
STEAL_FIELD = 7
PERIOD_S = 1.0
NOTES = {
    CPU_BUSY: ("s", "all logical CPUs, everybody's: neither idle nor waiting for a disk nor stolen"),
    CPU_STOLEN: ("s", "what the hypervisor gave to others meanwhile"),
    SWAPPED_OUT: ("bytes", "pages written to swap"),
    THROTTLES: ("events", "times that a package grew too hot and was slowed down"),
    WALL_CLOCK: (
        "s",
        "time of day: a jump against the monotonic clock shows a suspended or corrected machine",
    ),
}


def find(configuration: MeterConfiguration) -> HostMeter | Unavailable:
    return HostMeter()


class HostMeter:
    """Counters of the machine; what this one does not count is left out."""

    needs_process = False
    period_s = PERIOD_S

    def __init__(self, proc: Path = PROC, throttle_counts: str = THROTTLE_COUNTS) -> None:
        self._proc = proc
        self._throttle_files = sorted(Path("/").glob(throttle_counts.lstrip("/")))
        self.channels = tuple(_channel(name) for name in self._read())

    def open(self, pid: int | None) -> Reader:
        return self._read

    def _read(self) -> Readings:
        try:
            return {
                **_cpu_times((self._proc / "stat").read_text()),
                **_swap((self._proc / "vmstat").read_text()),
                **self._throttles(),
                WALL_CLOCK: time.time(),
            }
        except (OSError, ValueError) as error:
            raise MeterLost(f"the kernel's counters cannot be read: {error}") from error

    def _throttles(self) -> Readings:
        if not self._throttle_files:
            return {}
        return {THROTTLES: float(sum(int(file.read_text()) for file in self._throttle_files))}


def _cpu_times(stat: str) -> Readings:
    """The first line of /proc/stat: user nice system idle iowait irq softirq steal guest guest_nice, in ticks."""
    ticks = [int(word) for word in stat.partition("\n")[0].split()[1:]]
    busy = sum(
        count for place, count in enumerate(ticks[:GUEST_FIELD]) if place not in (*IDLE_FIELDS, STEAL_FIELD)
    )
    return {CPU_BUSY: busy / TICKS_PER_S, CPU_STOLEN: ticks[STEAL_FIELD] / TICKS_PER_S}


def _swap(vmstat: str) -> Readings:
    pages = next((int(line.split()[1]) for line in vmstat.splitlines() if line.startswith("pswpout ")), None)
    return {} if pages is None else {SWAPPED_OUT: float(pages * PAGE_BYTES)}


def _channel(name: str) -> Channel:
    unit, note = NOTES[name]
    return Channel(
        name=name,
        meter="host",
        unit=unit,
        kind=ChannelKind.COUNTER,
        provenance=Provenance.MEASURED,
        domain="host",
        note=note,
    )
