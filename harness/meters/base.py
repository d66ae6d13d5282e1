"""What a meter is: it knows its channels and reads them. It never integrates, subtracts or decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from harness.records import Channel, PowerModel

# Raw readings in the channels' units. A channel that has nothing to say now is left out, never 0.
Readings = dict[str, float]
Reader = Callable[[], Readings]


class MeterLost(Exception):
    """A meter that worked stopped working: its channels end here."""


@dataclass(frozen=True)
class MeterSettings:
    """What a user may configure."""

    powercap_root: Path
    power_model: PowerModel


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
