"""AMD's GPUs: what stays the same during a campaign, what may differ from run to run, and who else uses them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from harness.meters.amd_library import METER, AmdError, Handle, constant, handles, simulated, told
from harness.meters.amd_quantities import MICRO
from harness.meters.base import MeterLost
from harness.meters.gpu_vendor import ForeignProcess, process_name

__all__ = ["METER", "chip", "facts", "foreign_processes", "states"]


def facts() -> dict[str, Any]:
    """The driver and each GPU, None for what is not told; empty without a usable AMD SMI."""
    try:
        gpus = handles()
        driver = _part(told("amdsmi_get_gpu_driver_info", gpus[0]), "driver_version") if gpus else None
        return {
            "driver": driver,
            "amdsmi": _version(told("amdsmi_get_lib_version")),
            "simulated": simulated(),
            "gpus": [_gpu_facts(number, gpu) for number, gpu in enumerate(gpus)],
        }
    except AmdError:
        return {}


def _version(version: dict[str, Any] | None) -> str | None:
    return None if version is None else ".".join(str(version[key]) for key in ("major", "minor", "release"))


def _gpu_facts(number: int, gpu: Handle) -> dict[str, Any]:
    return {
        "index": number,
        "name": _part(told("amdsmi_get_gpu_asic_info", gpu), "market_name"),
        "uuid": told("amdsmi_get_gpu_device_uuid", gpu),
        "architecture": chip(gpu),
        "partition": told("amdsmi_get_gpu_compute_partition", gpu),
        "power_limit_w": _power_limit_w(gpu),
        "energy_counter": told("amdsmi_get_energy_count", gpu) is not None,
    }


def chip(gpu: Handle) -> str | None:
    """gfx90a and the like: the compiler's target."""
    found = _part(told("amdsmi_get_gpu_asic_info", gpu), "target_graphics_version")
    return None if found is None else str(found)


def states() -> list[dict[str, Any]]:
    """What may differ from run to run on each GPU, None for what is not told; empty without a usable AMD SMI."""
    try:
        return [_state(gpu) for gpu in handles()]
    except AmdError:
        return []


def _state(gpu: Handle) -> dict[str, Any]:
    core, memory = (
        told("amdsmi_get_clock_info", gpu, constant("AmdSmiClkType", kind)) for kind in ("GFX", "MEM")
    )
    return {
        "uuid": told("amdsmi_get_gpu_device_uuid", gpu),
        "persistence_mode": None,  # NVIDIA's
        "power_limit_w": _power_limit_w(gpu),
        "sm_clock_mhz": _part(core, "clk"),
        "memory_clock_mhz": _part(memory, "clk"),
        "sm_clock_limit_mhz": _part(core, "max_clk"),
    }


def _power_limit_w(gpu: Handle) -> float | None:
    limit_uw = _part(told("amdsmi_get_power_cap_info", gpu), "power_cap")
    return None if limit_uw is None else limit_uw * MICRO


def _part(answer: dict[str, Any] | None, key: str) -> Any:
    """One value of an answer; None where the package says "N/A"."""
    found = (answer or {}).get(key)
    return None if found in ("N/A", "") else found


def foreign_processes(own_pids: Collection[int]) -> tuple[ForeignProcess, ...] | None:
    """Who else computes on the GPUs now; None where the driver does not tell, MeterLost where it fails."""
    try:
        lists = [told("amdsmi_get_gpu_process_list", gpu) for gpu in handles()]
    except AmdError as error:
        raise MeterLost(f"the GPUs' processes cannot be read: {error}") from error
    if any(one is None for one in lists):
        return None
    return tuple(
        ForeignProcess(f"gpu-{number}", one["pid"], process_name(one["pid"]), one.get("mem"))
        for number, processes in enumerate(lists)
        for one in processes or ()
        if one["pid"] not in own_pids
    )
