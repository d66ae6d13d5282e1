"""Emulated AMD SMI: the part of the package `amdsmi` that the meter asks, with the names and units of its reference.

What the GPUs are is read anew at every call from the JSON file that $JOULEMARK_AMDSMI_STUB names (stub.py writes it).
"""

from __future__ import annotations

import json
import math
import os
import time
from enum import IntEnum
from pathlib import Path
from typing import Any

joulemark_emulator = True  # what is read here is simulated
NOTHING = "N/A"


class AmdSmiException(Exception): ...


class AmdSmiLibraryException(AmdSmiException):
    def __init__(self, err_code: int) -> None:
        super().__init__(err_code)
        self.err_code = err_code

    def __str__(self) -> str:
        return f"Error code:\n\t{self.err_code} | emulated"


class AmdSmiClkType(IntEnum):
    GFX = 1
    MEM = 4


class AmdSmiTemperatureType(IntEnum):
    EDGE = 0
    HOTSPOT = 1


class AmdSmiTemperatureMetric(IntEnum):
    CURRENT = 0


class AmdSmiMemoryType(IntEnum):
    VRAM = 0


def _config() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(os.environ["JOULEMARK_AMDSMI_STUB"]).read_text())
    return found


def _gpu(handle: int, function: str) -> dict[str, Any]:
    gpu: dict[str, Any] = _config()["gpus"][handle]
    if function in gpu["errors"]:
        raise AmdSmiLibraryException(gpu["errors"][function])
    return gpu


def _now_s(gpu: dict[str, Any]) -> float:
    """Seconds since the start at the counter's last update."""
    t_s = (time.monotonic_ns() - gpu["origin_ns"]) / 1e9
    return math.floor(t_s / gpu["update_s"]) * gpu["update_s"]


def _energy_j(segments: list[tuple[float, float]], t_s: float) -> float:
    periods, rest_s = divmod(t_s, sum(s for s, _ in segments))
    total_j = periods * sum(s * w for s, w in segments)
    for seconds, watts in segments:
        total_j += watts * min(max(rest_s, 0.0), seconds)
        rest_s -= seconds
    return total_j


def amdsmi_init() -> None:
    if code := _config().get("init"):
        raise AmdSmiLibraryException(code)


def amdsmi_get_processor_handles() -> list[int]:
    return list(range(len(_config()["gpus"])))


def amdsmi_get_energy_count(handle: int) -> dict[str, Any]:
    gpu = _gpu(handle, "amdsmi_get_energy_count")
    t_s = _now_s(gpu)
    if gpu["frozen_after_s"] is not None:
        t_s = min(t_s, gpu["frozen_after_s"])
    energy_j = gpu["scale"] * _energy_j(gpu["segments"], t_s)
    if gpu["falls_every_s"]:
        energy_j -= gpu["falls_j"] * math.floor(t_s / gpu["falls_every_s"])
    steps = gpu["start"] + int(energy_j / (gpu["resolution_uj"] * 1e-6))
    return {
        "energy_accumulator": 0 if gpu["blind"] else steps % (1 << gpu["bits"]),
        "counter_resolution": gpu["resolution_uj"],
        "timestamp": time.monotonic_ns(),
    }


def amdsmi_get_power_info(handle: int) -> dict[str, Any]:
    """Whole watts: `power` says which of the two there is."""
    gpu = _gpu(handle, "amdsmi_get_power_info")
    rest_s = (time.monotonic_ns() - gpu["origin_ns"]) / 1e9 % sum(s for s, _ in gpu["segments"])
    power_w: Any = NOTHING
    for seconds, watts in gpu["segments"]:
        if rest_s < seconds:
            power_w = round(watts)
            break
        rest_s -= seconds
    told = {"current_socket_power": NOTHING, "average_socket_power": NOTHING, "power_limit": 750}
    return told | ({gpu["power"]: 0 if gpu["blind"] else power_w} if gpu["power"] else {})


def amdsmi_get_clock_info(handle: int, clock: AmdSmiClkType) -> dict[str, Any]:
    _gpu(handle, "amdsmi_get_clock_info")
    assert isinstance(clock, AmdSmiClkType)
    return {"clk": 1700 if clock is AmdSmiClkType.GFX else 1600, "min_clk": 500, "max_clk": 2100}


def amdsmi_get_gpu_activity(handle: int) -> dict[str, Any]:
    _gpu(handle, "amdsmi_get_gpu_activity")
    return {"gfx_activity": 90, "umc_activity": NOTHING, "mm_activity": NOTHING}


def amdsmi_get_temp_metric(
    handle: int, sensor: AmdSmiTemperatureType, metric: AmdSmiTemperatureMetric
) -> int:
    _gpu(handle, "amdsmi_get_temp_metric")
    assert isinstance(sensor, AmdSmiTemperatureType) and isinstance(metric, AmdSmiTemperatureMetric)
    return 55


def amdsmi_get_gpu_memory_usage(handle: int, memory: AmdSmiMemoryType) -> int:
    _gpu(handle, "amdsmi_get_gpu_memory_usage")
    assert isinstance(memory, AmdSmiMemoryType)
    return 1 << 30


def amdsmi_get_power_cap_info(handle: int) -> dict[str, Any]:
    return {"power_cap": _gpu(handle, "amdsmi_get_power_cap_info")["limit_w"] * 1_000_000}


def amdsmi_get_gpu_process_list(handle: int) -> list[dict[str, Any]]:
    gpu = _gpu(handle, "amdsmi_get_gpu_process_list")
    return [{"name": NOTHING, "pid": pid, "mem": 1 << 20} for pid in gpu["processes"]]


def amdsmi_get_gpu_asic_info(handle: int) -> dict[str, Any]:
    gpu = _gpu(handle, "amdsmi_get_gpu_asic_info")
    return {"market_name": gpu["name"], "target_graphics_version": gpu["chip"]}


def amdsmi_get_gpu_device_uuid(handle: int) -> str:
    return str(_gpu(handle, "amdsmi_get_gpu_device_uuid")["uuid"])


def amdsmi_get_gpu_driver_info(handle: int) -> dict[str, Any]:
    _gpu(handle, "amdsmi_get_gpu_driver_info")
    return {"driver_name": "amdgpu", "driver_version": "6.14.14", "driver_date": NOTHING}


def amdsmi_get_lib_version() -> dict[str, Any]:
    return {"major": 26, "minor": 0, "release": 2, "build": "emulated"}


def amdsmi_get_gpu_compute_partition(handle: int) -> str:
    return str(_gpu(handle, "amdsmi_get_gpu_compute_partition")["partition"])
