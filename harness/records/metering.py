"""What meters read and what they lack."""

from __future__ import annotations

from enum import StrEnum

from pydantic import ConfigDict, Field

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
