"""One AMD GPU: what it offers, what of it is the addend of the run's energy, and its channels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from harness.meters import amd_library
from harness.meters.amd_facts import chip
from harness.meters.amd_library import METER, Handle
from harness.meters.amd_quantities import (
    AVERAGE,
    ENERGY,
    INSTANT,
    QUANTITIES,
    SOURCES,
    Count,
    Source,
    count,
    offered,
    powers,
    read,
)
from harness.meters.base import Readings
from harness.meters.counter_trial import Trial, Tried
from harness.records import Channel, ChannelKind, Provenance

NARROW, WIDE = 32, 64  # bits of the accumulator, by firmware
NO_COUNTER = "no energy counter: this GPU's energy is the integral of this, provenance derived"
UNTRIED = Trial("there is none")


@dataclass(frozen=True)
class AmdGpu:
    """`start` is its counter when it was found; `trial` what came of watching it."""

    label: str
    handle: Handle
    chip: str | None
    sources: Mapping[Source, Readings]
    start: Count | None
    trial: Trial = UNTRIED

    @property
    def names(self) -> set[str]:
        return {name for readings in self.sources.values() for name in readings}

    @property
    def gauge(self) -> str:
        """The power to integrate where no counter is believed; empty where the GPU tells none."""
        return next((name for name in (INSTANT, AVERAGE) if name in self.names), "")

    @property
    def addend(self) -> str:
        """Empty where nothing tells this GPU's energy."""
        return self.gauge if self.trial.fault else ENERGY

    def energy_j(self) -> float:
        found = count(self.handle)
        return found.steps * found.resolution_j

    def power_w(self) -> float | None:
        return read(self.handle, powers).get(self.gauge)


def found(number: int, handle: Handle) -> AmdGpu:
    """Raises: AmdError."""
    sources = offered(handle)
    start = count(handle) if SOURCES[0] in sources else None
    return AmdGpu(f"gpu-{number}", handle, chip(handle), sources, start)


def tried(gpu: AmdGpu, start: Count) -> Tried:
    """What its counter's trial needs."""
    return Tried(gpu.energy_j, _counter(gpu, start).wraps_at, gpu.power_w)


def channels(gpu: AmdGpu, note: str) -> list[Channel]:
    """A counter that is not believed has none: its joules would be held against the run. `note` is the addend's."""
    names = [name for name in QUANTITIES if name in gpu.names and name != ENERGY]
    gauges = [_gauge(gpu, name) for name in names]
    counters = [_counter(gpu, gpu.start)] if gpu.start and gpu.addend == ENERGY else []
    return [_told(gpu, one, note) for one in (*counters, *gauges)]


def _told(gpu: AmdGpu, channel: Channel, note: str) -> Channel:
    if channel.name != f"{METER}/{gpu.label}/{gpu.addend}":
        return channel
    doubted = f"its counter is not believed: {gpu.trial.fault}" if gpu.start else ""
    reasons = () if gpu.addend == ENERGY else (NO_COUNTER, doubted)
    notes = "; ".join(filter(None, (channel.note, *reasons, note)))
    return channel.model_copy(update={"boundary": True, "note": notes})


def _counter(gpu: AmdGpu, start: Count) -> Channel:
    """A count below the narrower range may be of either: for one that only grows, both are right."""
    bits = NARROW if start.steps < 1 << NARROW else WIDE
    period = gpu.trial.period
    return _gauge(gpu, ENERGY).model_copy(
        update={
            "kind": ChannelKind.COUNTER,
            "wraps_at": (1 << bits) * start.resolution_j,
            "resolution": start.resolution_j,
            "update_s": period.seconds if period else None,
            "update_jitter": period.jitter if period else None,
        }
    )


def _gauge(gpu: AmdGpu, name: str) -> Channel:
    quantity = QUANTITIES[name]
    return Channel(
        name=f"{METER}/{gpu.label}/{name}",
        meter=METER,
        unit=quantity.unit,
        kind=ChannelKind.GAUGE,
        provenance=Provenance.SIMULATED if amd_library.simulated() else Provenance.MEASURED,
        domain="gpu",
        resolution=quantity.resolution,
        note=quantity.note,
    )
