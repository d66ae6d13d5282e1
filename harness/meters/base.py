"""What a meter is: it knows its channels and reads them. It never integrates, subtracts or decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from harness.records import Channel, PowerModel

EMULATOR_MARK = "joulemark-emulator"  # in the root of an emulated tree: its readings are simulated

# Raw readings in the channels' units. A channel that has nothing to say now is left out, never 0.
Readings = dict[str, float]
Reader = Callable[[], Readings]


class MeterLost(Exception):
    """A meter that worked stopped working: its channels end here."""


class Stamped(float):
    """A reading with a time of its own, CLOCK_MONOTONIC ns, for meters that answer late."""

    __slots__ = ("t_ns",)
    t_ns: int

    def __new__(cls, value: float, t_ns: int) -> Stamped:
        self = super().__new__(cls, value)
        self.t_ns = t_ns
        return self


@dataclass(frozen=True)
class CommandSpec:
    """A program that prints watts or joules: `argv` without a shell; `pattern` has one group, the number."""

    name: str
    argv: tuple[str, ...]
    unit: str  # W or J
    period_s: float
    pattern: str | None = None
    timeout_s: float = 10.0


@dataclass(frozen=True)
class MeterSettings:
    """What a user may configure."""

    powercap_root: Path
    power_model: PowerModel
    hwmon_root: Path = Path("/sys/class/hwmon")
    commands: tuple[CommandSpec, ...] = ()


class Meter(Protocol):
    """A meter that this machine offers."""

    @property
    def channels(self) -> tuple[Channel, ...]: ...

    @property
    def period_s(self) -> float | None:
        """The shortest time between readings that makes sense, None for any: the plan's period is used."""

    @property
    def needs_process(self) -> bool:
        """Whether it reads the run's own processes, so that it can start only once they exist."""

    def open(self, pid: int | None) -> Reader:
        """A reader for one run; `pid` is the worker's first process, None for meters of the machine."""
