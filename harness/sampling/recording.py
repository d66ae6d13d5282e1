"""The sampling of one run: every meter on its own absolute schedule."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.meters.background import BackgroundReader
from harness.meters.base import Meter, MeterLost, Reader, Readings
from harness.sampling.writing import Spool

KIB = 1024


@dataclass
class Slot:
    """One open meter and its place in the schedule: reading `tick` is due at start + tick x period."""

    meter: Meter
    read: Reader
    period_s: float
    start: float
    tick: int = 0
    last: tuple[int, Readings] = (0, {})  # when it was read, and what it said; what answers late, last said

    @property
    def due(self) -> float:
        return self.start + self.tick * self.period_s

    def advance(self) -> None:
        """To the next place that is still to come: a late reading shifts no later one."""
        late = int((time.monotonic() - self.start) / self.period_s)
        self.tick = max(self.tick, late) + 1


class Recording:
    """The sampling of one run."""

    def __init__(self, path: Path, found: tuple[Meter, ...], period_s: float) -> None:
        self._found, self._period_s = found, period_s
        self._spool = Spool(path, [channel.name for meter in found for channel in meter.channels])
        self._slots: list[Slot] = []
        self._lost: list[dict[str, str]] = []
        self._cpu_began_s = time.process_time()
        self.open(None)

    def open(self, pid: int | None) -> None:
        """Opens the meters of the machine, or those of the run's processes once there is a pid."""
        start = time.monotonic()
        for meter in self._found:
            if meter.needs_process is (pid is not None):
                period_s = max(self._period_s, meter.period_s or 0)
                self._slots.append(Slot(meter, meter.open(pid), period_s, start))

    def sample(self) -> None:
        """Everything now: the borders of the measured window must be enclosed by readings."""
        for slot in list(self._slots):
            self._read(slot)

    def sample_due(self) -> None:
        now = time.monotonic()
        for slot in [one for one in self._slots if one.due <= now]:
            self._read(slot)
            slot.advance()
        self._spool.flush_if_due()

    def _read(self, slot: Slot) -> None:
        before_ns = time.monotonic_ns()
        try:
            readings = slot.read()
        except MeterLost as error:
            self._slots.remove(slot)
            self._lost.append({"meter": _name(slot), "reason": str(error)})
            return
        self._keep(slot, (before_ns + time.monotonic_ns()) // 2, readings)

    def _keep(self, slot: Slot, t_ns: int, readings: Readings) -> None:
        if readings or not isinstance(slot.read, BackgroundReader):
            slot.last = t_ns, readings
        self._spool.add(t_ns, readings)

    def _late(self) -> Iterator[tuple[Slot, BackgroundReader]]:
        """The meters that are asked in the background."""
        yield from [(one, one.read) for one in self._slots if isinstance(one.read, BackgroundReader)]

    def await_first(self) -> None:
        """What answers late must have answered once before the window begins, or has failed to."""
        for slot, reader in self._late():
            for readings in [] if slot.last[1] else reader.finish():
                self._keep(slot, time.monotonic_ns(), readings)

    def _await_last(self) -> dict[str, int]:
        """Its window is over, but nothing that answers late has been read after it. Channel -> failed readings."""
        missed = {}
        for slot, reader in self._late():
            for readings in reader.finish():
                self._keep(slot, time.monotonic_ns(), readings)
            missed[slot.meter.channels[0].name] = reader.missed
            self._read(slot)  # whether it is lost
        return missed

    def latest(self) -> dict[str, tuple[int, float]]:
        """By channel, CLOCK_MONOTONIC ns and value of its last reading; a channel that fell silent is left out."""
        return {
            name: (getattr(value, "t_ns", t_ns), value)
            for t_ns, readings in (slot.last for slot in self._slots)
            for name, value in readings.items()
        }

    def wait_s(self) -> float | None:
        return max(0.0, min(slot.due for slot in self._slots) - time.monotonic()) if self._slots else None

    def close(self) -> dict[str, Any]:
        self.sample()
        missed = self._await_last()
        self._spool.close()
        return {
            "missed": missed,
            "lost": self._lost,
            "cpu_s": time.process_time() - self._cpu_began_s,
            "memory_peak_bytes": _peak_bytes(),
        }


def _name(slot: Slot) -> str:
    """One of several devices is lost alone: "http plug" of http/plug/power, and "rapl" of all its zones."""
    first = slot.meter.channels[0]
    return " ".join(first.name.split("/")[:2]) if isinstance(slot.read, BackgroundReader) else first.meter


def _peak_bytes() -> int:
    """VmHWM of proc(5); ru_maxrss of getrusage(2) would include what the harness held when it started us."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * KIB for line in lines if line.startswith("VmHWM:"))
