"""NVML itself: starting it, what its error codes mean, and which GPUs must be refused.

The library comes with the driver (libnvidia-ml.so.1); nvidia-ml-py calls it. Codes: nvmlReturn_t in the NVML API
reference, https://docs.nvidia.com/deploy/nvml-api/.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pynvml

from harness.meters.base import EMULATOR_MARK
from harness.records import Unavailable

METER = "nvml"
Handle = Any  # ctypes pointer to an opaque structure

# This device or this driver does not offer it: the channel is left out.
NOT_OFFERED = frozenset(
    {
        pynvml.NVML_ERROR_NOT_SUPPORTED,
        pynvml.NVML_ERROR_FUNCTION_NOT_FOUND,
        pynvml.NVML_ERROR_NO_PERMISSION,
        pynvml.NVML_ERROR_INVALID_ARGUMENT,
        pynvml.NVML_ERROR_ARGUMENT_VERSION_MISMATCH,
        pynvml.NVML_ERROR_DEPRECATED,
    }
)
# Nothing to say at this moment: the one reading is left out. INSUFFICIENT_SIZE: a process came between two calls.
PASSING = frozenset(
    {
        pynvml.NVML_ERROR_NO_DATA,
        pynvml.NVML_ERROR_NOT_READY,
        pynvml.NVML_ERROR_TIMEOUT,
        pynvml.NVML_ERROR_IN_USE,
        pynvml.NVML_ERROR_INSUFFICIENT_SIZE,
    }
)
# The whole GPU, or the driver, is out of order.
FATAL = frozenset(
    {
        pynvml.NVML_ERROR_UNINITIALIZED,
        pynvml.NVML_ERROR_DRIVER_NOT_LOADED,
        pynvml.NVML_ERROR_LIB_RM_VERSION_MISMATCH,
        pynvml.NVML_ERROR_GPU_IS_LOST,
        pynvml.NVML_ERROR_GPU_NOT_FOUND,
        pynvml.NVML_ERROR_RESET_REQUIRED,
        pynvml.NVML_ERROR_IRQ_ISSUE,
        pynvml.NVML_ERROR_OPERATING_SYSTEM,
    }
)

CAUSES = {
    pynvml.NVML_ERROR_LIBRARY_NOT_FOUND: (
        "libnvidia-ml.so.1 is not on this machine: there is no NVIDIA driver",
        "install the NVIDIA driver if the machine has an NVIDIA GPU",
    ),
    pynvml.NVML_ERROR_DRIVER_NOT_LOADED: (
        "the NVIDIA driver is installed, but its kernel module is not loaded",
        "load it (modprobe nvidia); Secure Boot refuses an unsigned module: see the kernel's log",
    ),
    pynvml.NVML_ERROR_LIB_RM_VERSION_MISMATCH: (
        "the NVIDIA library and the loaded kernel module are of different versions: the driver was updated",
        "reboot, or unload and load the nvidia modules",
    ),
    pynvml.NVML_ERROR_NO_PERMISSION: (
        "NVML refuses this user",
        "let your user open /dev/nvidiactl and /dev/nvidia0 (often: the group video)",
    ),
    pynvml.NVML_ERROR_FUNCTION_NOT_FOUND: (
        "the NVIDIA library lacks a function that every driver since 2018 has",
        "update the NVIDIA driver; look for a stub of the CUDA toolkit in LD_LIBRARY_PATH",
    ),
    pynvml.NVML_ERROR_GPU_IS_LOST: (
        "a GPU has fallen off the bus",
        "see the kernel's log for Xid 79; power the machine off and on",
    ),
    pynvml.NVML_ERROR_RESET_REQUIRED: ("a GPU needs a reset", "reset it (nvidia-smi --gpu-reset) or reboot"),
}
INSTANT = "instantaneous"  # of nvmlDeviceGetPowerUsage, on GA100 and older
OTHER_REMEDY = "see whether nvidia-smi answers, and the kernel's log for Xid messages"
NO_GPU = Unavailable(
    meter=METER,
    reason="the NVIDIA driver is running but sees no GPU",
    remedy="look for the GPU in lspci and for the driver's complaint in the kernel's log",
)
MIG = Unavailable(
    meter=METER,
    reason="is in MIG mode: its readings are of the whole GPU, not of the instance that works",
    remedy="switch MIG off (nvidia-smi -mig 0), or measure on another GPU",
)
VIRTUAL = Unavailable(
    meter=METER,
    reason="is virtual (vGPU): its readings are of the whole GPU, which others share",
    remedy="measure on bare metal or with the GPU passed through",
)
SHARED_MODES = (
    pynvml.NVML_GPU_VIRTUALIZATION_MODE_VGPU,
    pynvml.NVML_GPU_VIRTUALIZATION_MODE_HOST_VGPU,
    pynvml.NVML_GPU_VIRTUALIZATION_MODE_HOST_VSGA,
)


def unavailable(error: pynvml.NVMLError, doing: str) -> Unavailable:
    """What an error of NVML means for the user."""
    reason, remedy = CAUSES.get(error.value, (f"{doing}: {error}", OTHER_REMEDY))
    return Unavailable(meter=METER, reason=reason, remedy=remedy)


def lacking() -> Unavailable | None:
    """Why nobody can compute on a GPU here; None where the driver answers and has one."""
    try:
        with session():
            return None if pynvml.nvmlDeviceGetCount() else NO_GPU
    except pynvml.NVMLError as error:
        return unavailable(error, "starting NVML")


@contextmanager
def session() -> Iterator[None]:
    """NVML started for a while; it counts its users, so sessions may overlap."""
    pynvml.nvmlInit()
    try:
        yield
    finally:
        with suppress(pynvml.NVMLError):  # of a GPU that was lost meanwhile
            pynvml.nvmlShutdown()


def handles() -> list[Handle]:
    """All GPUs, in NVML's order (that of the PCI bus)."""
    return [pynvml.nvmlDeviceGetHandleByIndex(number) for number in range(pynvml.nvmlDeviceGetCount())]


def told(ask: Callable[..., Any], *arguments: Any) -> Any:
    """An answer, or None where this device or driver does not offer it."""
    try:
        return ask(*arguments)
    except pynvml.NVMLError as error:
        if error.value in NOT_OFFERED:
            return None
        raise


def refusal(gpu: Handle, label: str) -> Unavailable | None:
    """Rule R17: readings are of a whole GPU, so one that is shared out cannot be measured."""
    mig = told(pynvml.nvmlDeviceGetMigMode, gpu)
    if mig and mig[0]:
        return MIG.model_copy(update={"reason": f"{label} {MIG.reason}"})
    if told(pynvml.nvmlDeviceGetVirtualizationMode, gpu) in SHARED_MODES:
        return VIRTUAL.model_copy(update={"reason": f"{label} {VIRTUAL.reason}"})
    return None


def module_scope(gpu: Handle) -> bool:
    """Whether GPU and CPU share a module (Grace Hopper): its readings are then the module's (rule R18)."""
    link = told(pynvml.nvmlDeviceGetC2cModeInfoV, gpu)
    return bool(link and link.isC2cEnabled)


def capability(gpu: Handle) -> tuple[int, int] | None:
    """CUDA compute capability, which names the chip: (8, 0) is GA100, (9, 0) is GH100."""
    answer: tuple[int, int] | None = told(pynvml.nvmlDeviceGetCudaComputeCapability, gpu)
    return answer


def power_usage_window(gpu: Handle) -> str:
    """What nvmlDeviceGetPowerUsage averages over (its own documentation; rule R15)."""
    chip = capability(gpu)
    if chip is None:
        return "averaging unknown"
    return INSTANT if chip <= (8, 0) else "average over 1 s"


def simulated() -> bool:
    return bool(pynvml.nvmlSystemGetDriverVersion().startswith(EMULATOR_MARK))
