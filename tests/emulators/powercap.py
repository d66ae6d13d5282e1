"""A powercap tree that behaves like the kernel's: zones with names, ranges and counters that wrap.

The counters follow a known waveform, so that a test knows the true energy of any interval.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from harness.meters.rapl import EMULATOR_MARK

UJ_PER_J = 1_000_000
WIDTH = 20  # fixed-width numbers in one pwrite: a reader never sees half of one
WRITER_PERIOD_S = 0.001


@dataclass
class EmulatedZone:
    """`energy_j` maps seconds since the start to joules since the start; the counter wraps at `range_uj`."""

    folder: str
    name: str
    energy_j: Callable[[float], float]
    range_uj: int = 262_143_328_850
    offset_uj: int = 0


def constant(watts: float) -> Callable[[float], float]:
    return lambda t_s: watts * t_s


@dataclass
class PowercapTree:
    """Use as a context manager: while it is open, a writer moves the counters at 1 kHz."""

    root: Path
    zones: list[EmulatedZone]
    start_ns: int = field(default_factory=time.monotonic_ns)

    def __post_init__(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        (self.root / EMULATOR_MARK).touch()
        for zone in self.zones:
            folder = self.root / zone.folder
            folder.mkdir()
            (folder / "name").write_text(zone.name + "\n")
            (folder / "max_energy_range_uj").write_text(f"{zone.range_uj}\n")
            (folder / "energy_uj").write_text(f"{zone.offset_uj:{WIDTH}d}\n")
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._write, daemon=True)

    def __enter__(self) -> PowercapTree:
        self.start_ns = time.monotonic_ns()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _write(self) -> None:
        files = [os.open(self.root / zone.folder / "energy_uj", os.O_WRONLY) for zone in self.zones]
        while not self._stop.wait(WRITER_PERIOD_S):
            t_s = (time.monotonic_ns() - self.start_ns) / 1e9
            for fd, zone in zip(files, self.zones, strict=True):
                value = (zone.offset_uj + round(zone.energy_j(t_s) * UJ_PER_J)) % zone.range_uj
                os.pwrite(fd, f"{value:{WIDTH}d}\n".encode(), 0)
        for fd in files:
            os.close(fd)

    def true_energy_j(self, zone: str, begin_ns: int, end_ns: int) -> float:
        """What the zone of that name really consumed over an interval of CLOCK_MONOTONIC ns."""
        energy_j = next(one.energy_j for one in self.zones if one.name == zone)
        return energy_j((end_ns - self.start_ns) / 1e9) - energy_j((begin_ns - self.start_ns) / 1e9)
