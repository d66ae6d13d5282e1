"""What meters read and what they lack."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Self

from pydantic import ConfigDict, Field, model_validator

from harness.records.base import Record

DEFAULT_BOUNDARY = "default"  # of the energy: what the meters add up unasked
WALL = "wall"  # the domain of what feeds the whole machine


class Provenance(StrEnum):
    MEASURED = "measured"
    DERIVED = "derived"
    ESTIMATED = "estimated"
    SIMULATED = "simulated"


class ChannelKind(StrEnum):
    COUNTER = "counter"  # cumulative
    GAUGE = "gauge"  # instantaneous


ADDED_IN = {ChannelKind.COUNTER: "J", ChannelKind.GAUGE: "W"}
MULTIPLES = re.compile(r"[numkMGT\u00b5\u03bc](J|W)|[numkMGT\u00b5\u03bc]?(Wh|Ws|cal|eV)")


class Channel(Record):
    """One series of a meter.

    `domain` says what it covers (cpu_package, dram, cpu_core, cpu_uncore, psys, process...); `wraps_at` is
    the range of a counter that wraps, in `unit`; `boundary` is true where the channel is one addend of the
    run's energy (never a parent and its child); `covers` names the domains whose energy lies inside this one's.
    """

    name: str
    meter: str
    unit: str
    kind: ChannelKind
    provenance: Provenance
    domain: str
    boundary: bool = False
    wraps_at: float | None = None
    update_s: float | None = None  # the sensor's own period, or what it averages over, where known
    update_jitter: float | None = None  # the standard deviation of that period, as a part of it
    resolution: float | None = None  # the smallest step of a reading, in `unit`
    covers: tuple[str, ...] = ()
    note: str = ""

    @model_validator(mode="after")
    def _joules_and_watts_by_their_names(self) -> Self:
        """Nothing converts what a record holds: in kJ a thousandth would be told of what was used."""
        if MULTIPLES.fullmatch(self.unit):
            raise ValueError(f"{self.name} is in {self.unit}: energy is recorded in J, and power in W")
        if self.boundary and self.unit != ADDED_IN[self.kind]:
            words = (
                f"{self.name} is a {self.kind} in {self.unit or 'no unit'}, and an addend of a run's energy"
            )
            raise ValueError(f"{words}: that is in {ADDED_IN[self.kind]}")
        return self


class Unavailable(Record):
    """What this machine lacks, why, and what to do about it."""

    meter: str
    reason: str
    remedy: str


class PowerModel(Record):
    """The stated model of the `estimate` meter: power_w = idle_w + busy_cpu_w x busy logical CPUs."""

    model_config = ConfigDict(allow_inf_nan=False)

    idle_w: float = Field(ge=0)
    busy_cpu_w: float = Field(ge=0)
