"""Energy, power and state of NVIDIA GPUs through NVML (rule R12).

The energy of a GPU is the growth of its own counter (Volta and later; rule R13). Where a GPU has none, or one that
stands still, its power gauge is the addend instead: integrated, its energy has provenance `derived`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

import pynvml

from harness.meters import nvml_library
from harness.meters.base import MeterConfiguration, MeterLost, Reader, Readings
from harness.meters.nvml_facts import facts, foreign_processes, states
from harness.meters.nvml_library import METER, Handle, lacking
from harness.meters.nvml_quantities import ENERGY, MILLI, QUANTITIES, SOURCES, Source, offered, read
from harness.meters.updates import Period, update_periods
from harness.records import Channel, ChannelKind, Provenance, Unavailable

__all__ = [
    "METER",
    "NvmlMeter",
    "facts",
    "find",
    "foreign_processes",
    "lacking",
    "states",
]

WATCH_S = 1.5  # at most, for the counters' periods
POLL_S = 0.001
NO_COUNTER = "no energy counter that moves: this GPU's energy is the integral of this, provenance derived"
AVERAGED_S = 1.0  # what NVML's averaged gauges average over (its own documentation)


@dataclass(frozen=True)
class NvmlGpu:
    """A GPU and what it offers."""

    label: str
    handle: Handle
    sources: Mapping[Source, Readings]

    @property
    def names(self) -> set[str]:
        return {name for readings in self.sources.values() for name in readings}

    def energy_j(self) -> float:
        return float(SOURCES[0](self.handle)[ENERGY])


def find(configuration: MeterConfiguration) -> NvmlMeter | Unavailable:
    """The meter over all GPUs, or why there is none: nothing is measured in part."""
    try:
        pynvml.nvmlInit()  # for good: a driver without users may forget its counters
    except pynvml.NVMLError as error:
        return nvml_library.unavailable(error, "NVML does not start")
    try:
        answer = _found()
    except pynvml.NVMLError as error:
        answer = nvml_library.unavailable(error, "a GPU cannot be read")
    if isinstance(answer, Unavailable):
        with suppress(pynvml.NVMLError):
            pynvml.nvmlShutdown()
    return answer


def _found() -> NvmlMeter | Unavailable:
    handles = nvml_library.handles()
    if not handles:
        return nvml_library.NO_GPU
    for number, handle in enumerate(handles):
        if refusal := nvml_library.refusal(handle, f"gpu-{number}"):
            return refusal
    return NvmlMeter(
        [NvmlGpu(f"gpu-{number}", handle, offered(handle)) for number, handle in enumerate(handles)]
    )


class NvmlMeter:
    """Channels nvml/gpu-N/...: a counter in joules, gauges of power and state."""

    needs_process = False

    def __init__(self, gpus: list[NvmlGpu]) -> None:
        self._gpus = gpus
        counters = {gpu.label: gpu.energy_j for gpu in gpus if ENERGY in gpu.names}
        self.updates = update_periods(counters, WATCH_S, POLL_S)
        provenance = Provenance.SIMULATED if nvml_library.simulated() else Provenance.MEASURED
        self.channels = tuple(
            channel for gpu in gpus for channel in _channels(gpu, self.updates.get(gpu.label), provenance)
        )

    @property
    def period_s(self) -> float | None:
        """The fastest counter's own: readings in between repeat it (rule R9)."""
        return min((one.seconds for one in self.updates.values() if one and one.seconds), default=None)

    def open(self, pid: int | None) -> Reader:
        return _GpuReader(self._gpus)


def _channels(gpu: NvmlGpu, period: Period | None, provenance: Provenance) -> list[Channel]:
    """A counter that never moved is no addend: it would show a working GPU as 0 J."""
    module = nvml_library.module_scope(gpu.handle)
    usage = nvml_library.power_usage_window(gpu.handle)
    addend = ENERGY if period is not None else _substitute(gpu)
    notes = {"power_usage": usage}
    if addend != ENERGY:
        notes[ENERGY] = f"did not move twice within {WATCH_S} s at start-up"
        notes[addend] = "; ".join(filter(None, (notes.get(addend), NO_COUNTER)))
    updates = ({ENERGY: period.seconds} if period else {}) | (
        {"power_usage": AVERAGED_S} if usage != nvml_library.INSTANT else {}
    )
    return [
        Channel(
            name=f"{METER}/{gpu.label}/{name}",
            meter=METER,
            unit=quantity.unit,
            kind=ChannelKind.COUNTER if name == ENERGY else ChannelKind.GAUGE,
            provenance=provenance,
            # Rule R18: what a Grace Hopper GPU calls its own is its module's, CPU included.
            domain="gpu_module" if module and name in (ENERGY, "power_usage") else quantity.domain,
            boundary=name == addend,
            update_s=updates.get(name),
            update_jitter=period.jitter if period and name == ENERGY else None,
            resolution=MILLI if quantity.unit in ("J", "W") else None,
            note="; ".join(filter(None, (quantity.note, notes.get(name, "")))),
        )
        for name, quantity in QUANTITIES.items()
        if name in gpu.names
    ]


def _substitute(gpu: NvmlGpu) -> str:
    """The gauge to integrate where no counter moves; empty where the GPU tells no power of its own either."""
    return next((name for name in ("power_instant", "power_usage") if name in gpu.names), "")


class _GpuReader:
    """Everything the GPUs offer, the counters of all of them first."""

    def __init__(self, gpus: list[NvmlGpu]) -> None:
        self._gpus = gpus
        self._last_j: dict[str, float] = {}

    def __call__(self) -> Readings:
        readings: Readings = {}
        for source in SOURCES:
            for gpu in (one for one in self._gpus if source in one.sources):
                for name, value in self._read(gpu, source).items():
                    readings[f"{METER}/{gpu.label}/{name}"] = value
        return readings

    def _read(self, gpu: NvmlGpu, source: Source) -> Readings:
        try:
            found = read(gpu.handle, source)
        except pynvml.NVMLError as error:
            raise MeterLost(f"{gpu.label} stopped answering: {error}") from error
        if ENERGY in found and found[ENERGY] < self._last_j.get(gpu.label, 0.0):
            raise MeterLost(f"the energy counter of {gpu.label} went back: the driver was loaded anew")
        if ENERGY in found:
            self._last_j[gpu.label] = found[ENERGY]
        return {name: value for name, value in found.items() if name in gpu.sources[source]}
