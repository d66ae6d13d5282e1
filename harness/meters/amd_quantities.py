"""What is read of an AMD GPU: the quantities, their units, and the calls that tell them.

A quantity that a device does not offer is left out; it is never 0. Units: AMD SMI's Python reference,
https://rocm.docs.amd.com/projects/amdsmi/en/latest/reference/amdsmi-py-api.html.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from harness.meters.amd_library import NOT_OFFERED, PASSING, AmdError, Handle, ask, constant
from harness.meters.base import Readings

MICRO = 1e-6
ENERGY, INSTANT, AVERAGE = "energy", "power_instant", "power_average"
UNKNOWN_W = (0xFFFF, 0xFFFFFFFF)  # how a field of 16 or 32 bits says that it is not there
Source = Callable[[Handle], Readings]


@dataclass(frozen=True)
class AmdValue:
    unit: str
    note: str = ""
    resolution: float | None = None


QUANTITIES = {
    ENERGY: AmdValue("J", "amdsmi_get_energy_count: energy_accumulator x counter_resolution"),
    INSTANT: AmdValue("W", "amdsmi_get_power_info: current_socket_power", 1.0),
    AVERAGE: AmdValue("W", "amdsmi_get_power_info: average_socket_power", 1.0),
    "sm_clock": AmdValue("MHz", "GFX"),
    "memory_clock": AmdValue("MHz"),
    "gpu_utilisation": AmdValue("%", "gfx_activity, over the device's own window"),
    "memory_utilisation": AmdValue("%", "umc_activity, over the device's own window"),
    "temperature": AmdValue("degC", "hotspot"),
    "memory_used": AmdValue("bytes", "by everybody on the GPU, preallocated memory included (rule R20b)"),
    "power_limit": AmdValue("W"),
    "compute_processes": AmdValue("processes", "whoever they belong to"),
}


@dataclass(frozen=True)
class Count:
    """`steps` of `resolution_j` each, since some moment."""

    steps: int
    resolution_j: float


def count(gpu: Handle) -> Count:
    """The accumulator; until ROCm 6.0 its name was `power`."""
    told = ask("amdsmi_get_energy_count", gpu)
    steps = told["energy_accumulator"] if "energy_accumulator" in told else told["power"]
    return Count(int(steps), float(told["counter_resolution"]) * MICRO)


def _energy(gpu: Handle) -> Readings:
    found = count(gpu)
    return {ENERGY: found.steps * found.resolution_j}


def powers(gpu: Handle) -> Readings:
    """0 W is how a die without a sensor of its own answers: hardware that is on never draws nothing."""
    told = ask("amdsmi_get_power_info", gpu)
    found = _numbers({INSTANT: told.get("current_socket_power"), AVERAGE: told.get("average_socket_power")})
    return {name: value for name, value in found.items() if value > 0 and value not in UNKNOWN_W}


def _numbers(values: Mapping[str, Any]) -> Readings:
    """The package says "N/A" where it knows of nothing."""
    return {name: float(value) for name, value in values.items() if isinstance(value, int | float)}


def _clock(name: str, kind: str) -> Source:
    def read_clock(gpu: Handle) -> Readings:
        told = ask("amdsmi_get_clock_info", gpu, constant("AmdSmiClkType", kind))
        return _numbers({name: told.get("clk")})

    return read_clock


def _activity(gpu: Handle) -> Readings:
    told = ask("amdsmi_get_gpu_activity", gpu)
    return _numbers(
        {"gpu_utilisation": told.get("gfx_activity"), "memory_utilisation": told.get("umc_activity")}
    )


def _temperature(gpu: Handle) -> Readings:
    hotspot = constant("AmdSmiTemperatureType", "HOTSPOT")
    return _numbers(
        {
            "temperature": ask(
                "amdsmi_get_temp_metric", gpu, hotspot, constant("AmdSmiTemperatureMetric", "CURRENT")
            )
        }
    )


def _memory(gpu: Handle) -> Readings:
    return _numbers(
        {"memory_used": ask("amdsmi_get_gpu_memory_usage", gpu, constant("AmdSmiMemoryType", "VRAM"))}
    )


def _power_limit(gpu: Handle) -> Readings:
    return {"power_limit": ask("amdsmi_get_power_cap_info", gpu)["power_cap"] * MICRO}


def _processes(gpu: Handle) -> Readings:
    return {"compute_processes": len(ask("amdsmi_get_gpu_process_list", gpu))}


# The counter first: it is read as close to the tick as can be.
SOURCES: tuple[Source, ...] = (
    _energy,
    powers,
    _clock("sm_clock", "GFX"),
    _clock("memory_clock", "MEM"),
    _activity,
    _temperature,
    _memory,
    _power_limit,
    _processes,
)


def offered(gpu: Handle) -> dict[Source, Readings]:
    """The sources that answer, with their first readings.

    Raises: AmdError for a counter that fails oddly: a gauge may be out of order alone, but a counter must not vanish
    from the sum unseen.
    """
    answers: dict[Source, Readings] = {}
    for source in SOURCES:
        try:
            answers[source] = source(gpu)
        except AmdError as error:
            if source is _energy and error.code not in NOT_OFFERED:
                raise
    return {source: readings for source, readings in answers.items() if readings}


def read(gpu: Handle, source: Source) -> Readings:
    """One reading during a run; what is passing is left out. Raises: AmdError."""
    try:
        return source(gpu)
    except AmdError as error:
        if error.code in PASSING:
            return {}
        raise
