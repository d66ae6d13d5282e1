"""Counters of joules as series, made without waiting: a sensor that updates, jitters and wraps, read by a sampler.

The true energy is known at every moment, and faults are planted with exact truth: what `Truth` says is what was drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from harness.energy.series import Series, series
from harness.records import Channel, ChannelKind, Provenance

Floats = npt.NDArray[np.float64]
Generator = np.random.Generator
Fault = Callable[
    [Floats, Floats], Floats
]  # (times, true energies at them) -> what the register shows, before it wraps

NS_PER_S = 1e9
UNIT_J = 2.0**-14  # of most RAPL registers


@dataclass(frozen=True)
class Truth:
    """Joules drawn up to each moment: power is constant between `edges_s`."""

    edges_s: Floats
    energy_j: Floats

    def up_to(self, t_s: Floats | float) -> Floats:
        return np.interp(t_s, self.edges_s, self.energy_j)

    def between(self, begin_s: float, end_s: float) -> float:
        return float(self.up_to(end_s) - self.up_to(begin_s))


@dataclass(frozen=True)
class Sensor:
    """How a register shows what is drawn: in steps of `unit_j`, every `update_s` on average."""

    domain: str = "cpu_package"
    meter: str = "rapl"
    name: str = "rapl/package-0"
    update_s: float = 0.001
    jitter: float = 0.0  # the standard deviation of the time between updates, as a part of it
    unit_j: float = UNIT_J
    range_j: float | None = 262_143.328850
    offset_j: float = 0.0
    known_update: bool = True
    known_unit: bool = False
    boundary: bool = True
    covers: tuple[str, ...] = ()
    fault: Fault | None = field(default=None, compare=False)

    @property
    def channel(self) -> Channel:
        return Channel(
            name=self.name, meter=self.meter, unit="J", kind=ChannelKind.COUNTER, provenance=Provenance.SIMULATED,
            domain=self.domain, boundary=self.boundary, wraps_at=self.range_j, covers=self.covers,
            update_s=self.update_s if self.known_update else None,
            update_jitter=self.jitter if self.known_update else None,
            resolution=self.unit_j if self.known_unit else None,
        )  # fmt: skip

    def faulty(self, fault: Fault) -> Sensor:
        return replace(self, fault=fault)

    def holding(self, offset_j: float) -> Sensor:
        """Its register has counted so much before."""
        return replace(self, offset_j=offset_j)


def drawn(powers_w: Floats, lengths_s: Floats) -> Truth:
    """Of levels of power, each for so long."""
    edges_s = np.concatenate(([0.0], np.cumsum(lengths_s)))
    return Truth(edges_s, np.concatenate(([0.0], np.cumsum(powers_w * lengths_s))))


def readings_s(
    generator: Generator, length_s: float, period_s: float = 0.1, gaps_s: Floats | None = None
) -> Floats:
    """When a sampler reads: on schedule, some late, some a second time, and not at all in gaps of such lengths."""
    t_s = np.arange(0.0, length_s, period_s)
    late_s = generator.exponential(0.0005, len(t_s)) + 0.02 * (generator.random(len(t_s)) < 0.01)
    twice_s = generator.uniform(0.0, length_s, 3)
    t_s = np.sort(np.concatenate((t_s + late_s, twice_s)))
    for gap_s in gaps_s if gaps_s is not None else ():
        begin_s = generator.uniform(0.0, max(0.1, length_s - gap_s))
        t_s = t_s[(t_s < begin_s) | (t_s > begin_s + gap_s)]
    return t_s


def shown(generator: Generator, sensor: Sensor, truth: Truth, t_s: Floats) -> Series:
    """What the sampler reads at these times."""
    updates_s = _updates_s(generator, sensor, float(t_s[-1]))
    updated_s = updates_s[np.searchsorted(updates_s, t_s, side="right") - 1]
    register_j = truth.up_to(updated_s)
    if sensor.fault is not None:
        register_j = sensor.fault(t_s, register_j)
    counted_j = np.floor((sensor.offset_j + register_j) / sensor.unit_j) * sensor.unit_j
    read_j = counted_j if sensor.range_j is None else np.mod(counted_j, sensor.range_j)
    return series(sensor.channel, (t_s * NS_PER_S).astype(np.int64), read_j)


def _updates_s(generator: Generator, sensor: Sensor, end_s: float) -> Floats:
    """From before the first reading on; a sensor of no period to speak of updates at every reading."""
    count = int((end_s + 2) / sensor.update_s * 1.3) + 10
    between_s = sensor.update_s * np.maximum(0.1, 1 + sensor.jitter * generator.standard_normal(count))
    return np.cumsum(between_s) - between_s[0] - sensor.update_s * generator.uniform(0, 1)


def reset(at_s: float, offset_j: float = 0.0) -> Fault:
    """The register begins anew at 0; `offset_j` is the sensor's own."""

    def fault(t_s: Floats, register_j: Floats) -> Floats:
        after = t_s >= at_s
        begun_j = register_j[after][0] if after.any() else 0.0
        return np.where(after, register_j - begun_j - offset_j, register_j)

    return fault


def glitch(at_s: float, by_j: float) -> Fault:
    """One reading is wrong by so much."""

    def fault(t_s: Floats, register_j: Floats) -> Floats:
        wrong = np.zeros(len(t_s))
        wrong[np.searchsorted(t_s, at_s)] = by_j
        return register_j + wrong

    return fault


def jump(at_s: float, by_j: float) -> Fault:
    """From then on the register is ahead by so much."""
    return lambda t_s, register_j: register_j + np.where(t_s >= at_s, by_j, 0.0)


def freeze(begin_s: float, end_s: float, catches_up: bool = False) -> Fault:
    """The register stands still, and afterwards goes on from there, or shows what it would have."""

    def fault(t_s: Floats, register_j: Floats) -> Floats:
        first, last = np.searchsorted(t_s, [begin_s, end_s])
        first, last = min(first, len(t_s) - 1), min(last, len(t_s) - 1)
        stuck_j, lost_j = register_j[first], 0.0 if catches_up else register_j[last] - register_j[first]
        frozen = np.where(t_s >= begin_s, stuck_j, register_j)
        return np.where(t_s >= end_s, register_j - lost_j, frozen)

    return fault
