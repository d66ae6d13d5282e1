"""What a meter is: it knows its channels and reads them. It never integrates, subtracts or decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pydantic import ConfigDict

from harness.records import DEFAULT_BOUNDARY, Channel, PowerModel

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

    __pydantic_config__ = ConfigDict(extra="forbid")

    name: str
    argv: tuple[str, ...]
    unit: str  # W or J
    period_s: float
    pattern: str | None = None
    timeout_s: float = 10.0


@dataclass(frozen=True)
class FieldSpec:
    """A number in a JSON answer: names and places with dots between; `step` is its smallest change, in its unit."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    path: str
    unit: str  # W, mW, J, Wh or kWh
    step: float | None = None  # None: its last decimal


@dataclass(frozen=True)
class HttpSpec:
    """A device that answers a GET with JSON; the first of its `fields` is what it says of the wall.

    `preset` knows path and fields of a kind of device; `login` names an environment variable that holds user:password.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    name: str
    url: str
    preset: str = ""
    fields: tuple[FieldSpec, ...] = ()
    period_s: float = 1.0
    update_s: float = 1.0  # between two measurements of the device's own
    timeout_s: float = 2.0
    login: str = ""


@dataclass(frozen=True)
class MeterConfiguration:
    """What a user may configure."""

    powercap_root: Path
    power_model: PowerModel
    hwmon_root: Path = Path("/sys/class/hwmon")
    commands: tuple[CommandSpec, ...] = ()
    devices: tuple[HttpSpec, ...] = ()
    wall: tuple[str, ...] = ()  # the channels that are the wall
    boundary: str = DEFAULT_BOUNDARY


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
