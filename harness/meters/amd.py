"""Energy, power and state of AMD GPUs through AMD SMI; not validated on hardware (docs/meters.md).

The energy of a GPU is the growth of its own counter, accumulator x resolution, if it passed its trial at start-up
(harness.meters.counter_trial). A counter that did not is left out with the reason, and the power gauge is the addend
instead: integrated, its energy has provenance `derived`. A package of two dies has one sensor, on the first of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness.meters import amd_gpu, amd_library
from harness.meters.amd_facts import facts, foreign_processes, states
from harness.meters.amd_gpu import AmdGpu
from harness.meters.amd_library import METER, AmdError, lacking
from harness.meters.amd_quantities import SOURCES, Source, read
from harness.meters.base import MeterConfiguration, MeterLost, Reader, Readings
from harness.meters.counter_trial import trials
from harness.records import Unavailable

__all__ = [
    "METER",
    "AmdMeter",
    "facts",
    "find",
    "foreign_processes",
    "lacking",
    "states",
]

WATCH_S = 1.5
POLL_S = 0.001
TWO_DIES = ("gfx90a",)  # MI250: each die is a GPU of its own, the sensor of the first one is the package's


def find(configuration: MeterConfiguration) -> AmdMeter | Unavailable:
    """The meter over all GPUs, or why there is none: nothing is measured in part."""
    if missing := lacking():
        return missing
    try:
        gpus = [amd_gpu.found(number, handle) for number, handle in enumerate(amd_library.handles())]
        refusals = (amd_library.refusal(gpu.handle, gpu.label) for gpu in gpus)
        if refusal := next(filter(None, refusals), None):
            return refusal
        return _measured(_tried(gpus))
    except AmdError as error:
        return amd_library.unavailable(error, "a GPU cannot be read")


def _tried(gpus: Sequence[AmdGpu]) -> list[AmdGpu]:
    """Each with what came of its counter's trial."""
    found = trials({gpu.label: amd_gpu.tried(gpu, gpu.start) for gpu in gpus if gpu.start}, WATCH_S, POLL_S)
    return [replace(gpu, trial=found.get(gpu.label, gpu.trial)) for gpu in gpus]


def _measured(gpus: Sequence[AmdGpu]) -> AmdMeter | Unavailable:
    """A GPU that nobody measures would be missing from the sum, unless another die's sensor covers it."""
    covering = {gpu.chip for gpu in gpus if gpu.addend and gpu.chip in TWO_DIES}
    for gpu in gpus:
        if not gpu.addend and gpu.chip not in covering:
            reason = f"{gpu.label} tells no power, and its energy counter is not believed: {gpu.trial.fault}"
            return Unavailable(
                meter=METER, reason=reason, remedy="power the machine off and on; update amdgpu"
            )
    return AmdMeter(gpus)


class AmdMeter:
    """Channels amdsmi/gpu-N/...: a counter in joules, gauges of power and state."""

    needs_process = False

    def __init__(self, gpus: Sequence[AmdGpu]) -> None:
        self._gpus = gpus
        self.channels = tuple(channel for gpu in gpus for channel in amd_gpu.channels(gpu, _note(gpu, gpus)))

    @property
    def period_s(self) -> float | None:
        """The fastest counter's own: readings in between repeat it (rule R9)."""
        periods = (gpu.trial.period for gpu in self._gpus if not gpu.trial.fault)
        return min((one.seconds for one in periods if one and one.seconds), default=None)

    def open(self, pid: int | None) -> Reader:
        return _GpuReader(self._gpus, {channel.name for channel in self.channels})


def _note(gpu: AmdGpu, gpus: Sequence[AmdGpu]) -> str:
    blind = [one.label for one in gpus if not one.addend and one.chip == gpu.chip]
    return f"also that of its package's other die ({', '.join(blind)} without a sensor)" if blind else ""


class _GpuReader:
    """Everything the GPUs offer, the counters of all of them first."""

    def __init__(self, gpus: Sequence[AmdGpu], names: set[str]) -> None:
        self._gpus, self._names = gpus, names

    def __call__(self) -> Readings:
        readings: Readings = {}
        for source in SOURCES:
            for gpu in (one for one in self._gpus if source in one.sources):
                for name, value in self._read(gpu, source).items():
                    readings[f"{METER}/{gpu.label}/{name}"] = value
        return {name: value for name, value in readings.items() if name in self._names}

    def _read(self, gpu: AmdGpu, source: Source) -> Readings:
        try:
            return read(gpu.handle, source)
        except AmdError as error:
            raise MeterLost(f"{gpu.label} stopped answering: {error}") from error
