"""What is read of a GPU: the quantities, their units, and the calls that tell them.

A quantity that a device does not offer is left out, with the reason; it is never 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pynvml

from harness.meters.base import Readings
from harness.meters.nvml_library import FATAL, NOT_OFFERED, PASSING, Handle

MILLI = 1e-3
ENERGY = "energy"
Source = Callable[[Handle], Readings]


@dataclass(frozen=True)
class NvmlValue:
    unit: str
    note: str = ""
    domain: str = "gpu"


# Rule R15: field and scope of nvmlDeviceGetFieldValues. nvidia-smi shows the same three scopes.
POWER_FIELDS = {
    "power_instant": (pynvml.NVML_FI_DEV_POWER_INSTANT, pynvml.NVML_POWER_SCOPE_GPU),
    "power_instant_module": (pynvml.NVML_FI_DEV_POWER_INSTANT, pynvml.NVML_POWER_SCOPE_MODULE),
    "power_instant_memory": (pynvml.NVML_FI_DEV_POWER_INSTANT, pynvml.NVML_POWER_SCOPE_MEMORY),
    "power_average": (pynvml.NVML_FI_DEV_POWER_AVERAGE, pynvml.NVML_POWER_SCOPE_GPU),
    "power_average_module": (pynvml.NVML_FI_DEV_POWER_AVERAGE, pynvml.NVML_POWER_SCOPE_MODULE),
    "power_average_memory": (pynvml.NVML_FI_DEV_POWER_AVERAGE, pynvml.NVML_POWER_SCOPE_MEMORY),
}
INSTANT = "NVML_FI_DEV_POWER_INSTANT (186), the sensor's latest value"
AVERAGE = "NVML_FI_DEV_POWER_AVERAGE (185), over 1 s"
QUANTITIES = {
    ENERGY: NvmlValue("J", "nvmlDeviceGetTotalEnergyConsumption"),
    "power_instant": NvmlValue("W", f"{INSTANT}; scope GPU"),
    "power_instant_module": NvmlValue("W", f"{INSTANT}; scope MODULE", "gpu_module"),
    "power_instant_memory": NvmlValue("W", f"{INSTANT}; scope MEMORY", "gpu_memory"),
    "power_average": NvmlValue("W", f"{AVERAGE}; scope GPU"),
    "power_average_module": NvmlValue("W", f"{AVERAGE}; scope MODULE", "gpu_module"),
    "power_average_memory": NvmlValue("W", f"{AVERAGE}; scope MEMORY", "gpu_memory"),
    "power_usage": NvmlValue("W", "nvmlDeviceGetPowerUsage"),
    "sm_clock": NvmlValue("MHz"),
    "memory_clock": NvmlValue("MHz"),
    "gpu_utilisation": NvmlValue("%", "time share with a kernel running, over the device's own window"),
    "memory_utilisation": NvmlValue("%", "time share with memory traffic, over the device's own window"),
    "temperature": NvmlValue("degC"),
    "memory_used": NvmlValue("bytes", "by everybody on the GPU, preallocated memory included (rule R20b)"),
    "clocks_event_reasons": NvmlValue("bits", "bitmask nvmlClocksEventReason*"),
    "power_limit": NvmlValue("W", "enforced"),
    "compute_processes": NvmlValue("processes", "whoever they belong to"),
}


def _power_fields(gpu: Handle) -> Readings:
    values = pynvml.nvmlDeviceGetFieldValues(gpu, list(POWER_FIELDS.values()))
    powers_w = {name: _field_w(value) for name, value in zip(POWER_FIELDS, values, strict=True)}
    return {name: power_w for name, power_w in powers_w.items() if power_w is not None}


def _field_w(field: pynvml.c_nvmlFieldValue_t) -> float | None:
    """Each field has a return code of its own (rule R15). 0 W is how GPUs without a sensor for a scope answer."""
    if field.nvmlReturn in NOT_OFFERED | PASSING:
        return None
    if field.nvmlReturn != pynvml.NVML_SUCCESS:
        raise pynvml.NVMLError(field.nvmlReturn)
    return float(field.value.uiVal) * MILLI or None


def _utilisation(gpu: Handle) -> Readings:
    rates = pynvml.nvmlDeviceGetUtilizationRates(gpu)
    return {"gpu_utilisation": float(rates.gpu), "memory_utilisation": float(rates.memory)}


def _one(name: str, ask: Callable[[Handle], float], scale: float = 1.0) -> Source:
    return lambda gpu: {name: ask(gpu) * scale}


# The counter first: it is read as close to the tick as can be.
SOURCES: tuple[Source, ...] = (
    _one(ENERGY, pynvml.nvmlDeviceGetTotalEnergyConsumption, MILLI),
    _power_fields,
    _one("power_usage", pynvml.nvmlDeviceGetPowerUsage, MILLI),
    _one("sm_clock", lambda gpu: pynvml.nvmlDeviceGetClockInfo(gpu, pynvml.NVML_CLOCK_SM)),
    _one("memory_clock", lambda gpu: pynvml.nvmlDeviceGetClockInfo(gpu, pynvml.NVML_CLOCK_MEM)),
    _utilisation,
    _one("temperature", lambda gpu: pynvml.nvmlDeviceGetTemperatureV(gpu, pynvml.NVML_TEMPERATURE_GPU)),
    _one("memory_used", lambda gpu: pynvml.nvmlDeviceGetMemoryInfo(gpu, pynvml.nvmlMemory_v2).used),
    _one("clocks_event_reasons", pynvml.nvmlDeviceGetCurrentClocksEventReasons),
    _one("power_limit", pynvml.nvmlDeviceGetEnforcedPowerLimit, MILLI),
    _one("compute_processes", lambda gpu: len(pynvml.nvmlDeviceGetComputeRunningProcesses_v3(gpu))),
)


def offered(gpu: Handle) -> dict[Source, Readings]:
    """The sources that answer, with their first readings; an error of the whole GPU is raised."""
    answers: dict[Source, Readings] = {}
    for source in SOURCES:
        try:
            answers[source] = source(gpu)
        except pynvml.NVMLError as error:
            # A gauge may be out of order alone; a counter that fails oddly must not vanish from the sum unseen.
            if error.value in FATAL or (source is SOURCES[0] and error.value not in NOT_OFFERED):
                raise
    return {source: readings for source, readings in answers.items() if readings}


def read(gpu: Handle, source: Source) -> Readings:
    """One reading during a run; what is passing is left out, anything else is raised."""
    try:
        return source(gpu)
    except pynvml.NVMLError as error:
        if error.value in PASSING:
            return {}
        raise
