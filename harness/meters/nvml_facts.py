"""What stays the same during a campaign, for the description of the machine, and who else uses the GPUs (rule R19)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pynvml

from harness.meters import nvml_library
from harness.meters.base import MeterLost
from harness.meters.gpu_vendor import ForeignProcess, process_name
from harness.meters.nvml_library import Handle, told

ARCHITECTURES = {
    value: name.rpartition("_")[2].lower()
    for name, value in vars(pynvml).items()
    if name.startswith("NVML_DEVICE_ARCH_")
}
VIRTUALIZATIONS = {
    value: name.partition("MODE_")[2].lower()
    for name, value in vars(pynvml).items()
    if name.startswith("NVML_GPU_VIRTUALIZATION_MODE_")
}
# Yang, Adamek, Armour: "Part-time power measurements: nvidia-smi's lack of attention" (arXiv 2312.02741), rule R16.
DUTY_CYCLES = {
    (8, 0): "samples 25 ms of every 100 ms (arXiv 2312.02741)",
    (9, 0): "samples 25 ms of every 100 ms (arXiv 2312.02741)",
}
UNKNOWN_DUTY_CYCLE = "not established for this chip"
MW_PER_W = 1000


def facts() -> dict[str, Any]:
    """The driver and each GPU, None for what is not told; empty without a usable NVML."""
    try:
        with nvml_library.session():
            return {
                "driver": pynvml.nvmlSystemGetDriverVersion(),
                "nvml": told(pynvml.nvmlSystemGetNVMLVersion),
                "cuda": _cuda_version(told(pynvml.nvmlSystemGetCudaDriverVersion_v2)),
                "simulated": nvml_library.simulated(),
                "gpus": [_gpu_facts(number, gpu) for number, gpu in enumerate(nvml_library.handles())],
            }
    except pynvml.NVMLError:
        return {}


def _cuda_version(code: int | None) -> str | None:
    """13010 -> 13.1 (cuDriverGetVersion: 1000 x major + 10 x minor)."""
    return None if code is None else f"{code // 1000}.{code % 1000 // 10}"


def _gpu_facts(number: int, gpu: Handle) -> dict[str, Any]:
    chip, limit_mw = nvml_library.capability(gpu), told(pynvml.nvmlDeviceGetEnforcedPowerLimit, gpu)
    return {
        "index": number,
        "name": told(pynvml.nvmlDeviceGetName, gpu),
        "uuid": told(pynvml.nvmlDeviceGetUUID, gpu),
        "architecture": ARCHITECTURES.get(told(pynvml.nvmlDeviceGetArchitecture, gpu)),
        "compute_capability": None if chip is None else f"{chip[0]}.{chip[1]}",
        "persistence_mode": _switch(told(pynvml.nvmlDeviceGetPersistenceMode, gpu)),
        "ecc": _switch(told(pynvml.nvmlDeviceGetEccMode, gpu)),
        "mig": _switch(told(pynvml.nvmlDeviceGetMigMode, gpu)),
        "virtualization": VIRTUALIZATIONS.get(told(pynvml.nvmlDeviceGetVirtualizationMode, gpu)),
        "power_limit_w": None if limit_mw is None else limit_mw / MW_PER_W,
        "scope": "module" if nvml_library.module_scope(gpu) else "gpu",
        "energy_counter": told(pynvml.nvmlDeviceGetTotalEnergyConsumption, gpu) is not None,
        "power_usage": nvml_library.power_usage_window(gpu),
        "duty_cycle": DUTY_CYCLES.get(chip, UNKNOWN_DUTY_CYCLE) if chip else UNKNOWN_DUTY_CYCLE,
    }


def states() -> list[dict[str, Any]]:
    """What may differ from run to run on each GPU, None for what is not told; empty without a usable NVML."""
    try:
        with nvml_library.session():
            return [_state(gpu) for gpu in nvml_library.handles()]
    except pynvml.NVMLError:
        return []


def _state(gpu: Handle) -> dict[str, Any]:
    limit_mw = told(pynvml.nvmlDeviceGetEnforcedPowerLimit, gpu)
    return {
        "uuid": told(pynvml.nvmlDeviceGetUUID, gpu),
        "persistence_mode": _switch(told(pynvml.nvmlDeviceGetPersistenceMode, gpu)),
        "power_limit_w": None if limit_mw is None else limit_mw / MW_PER_W,
        "sm_clock_mhz": told(pynvml.nvmlDeviceGetClockInfo, gpu, pynvml.NVML_CLOCK_SM),
        "memory_clock_mhz": told(pynvml.nvmlDeviceGetClockInfo, gpu, pynvml.NVML_CLOCK_MEM),
        "sm_clock_limit_mhz": told(pynvml.nvmlDeviceGetMaxClockInfo, gpu, pynvml.NVML_CLOCK_SM),
    }


def _switch(state: Any) -> bool | None:
    """NVML tells a mode as 0 or 1, or as [current, pending]."""
    current = state[0] if isinstance(state, list) else state
    return None if current is None else bool(current)


def foreign_processes(own_pids: Collection[int]) -> tuple[ForeignProcess, ...] | None:
    """Who else computes on the GPUs now; None where the driver does not tell (WSL), MeterLost where it fails.

    Process numbers are those of the machine: a harness in a PID namespace of its own cannot compare them.
    """
    try:
        with nvml_library.session():
            lists = [_processes(number, gpu) for number, gpu in enumerate(nvml_library.handles())]
    except pynvml.NVMLError as error:
        raise MeterLost(f"the GPUs' processes cannot be read: {error}") from error
    if any(one is None for one in lists):
        return None
    return tuple(process for one in lists for process in one or () if process.pid not in own_pids)


def _processes(number: int, gpu: Handle) -> list[ForeignProcess] | None:
    found = told(pynvml.nvmlDeviceGetComputeRunningProcesses_v3, gpu)
    if found is None:
        return None
    return [
        ForeignProcess(f"gpu-{number}", one.pid, process_name(one.pid), one.usedGpuMemory) for one in found
    ]
