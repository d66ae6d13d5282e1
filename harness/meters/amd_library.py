"""AMD SMI itself: getting it, starting it, what its codes mean, and which GPUs must be refused.

The package `amdsmi` comes with ROCm and calls libamd_smi.so, whose structures must be of its own version: it is
installed from there, not from an index. Codes: amdsmi_status_t in amdsmi.h, https://rocm.docs.amd.com/projects/amdsmi/.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import sys
from enum import IntEnum
from functools import cache
from types import ModuleType
from typing import Any

from harness.meters.base import EMULATOR_MARK
from harness.records import Unavailable

METER = "amdsmi"
WHOLE = "SPX"  # the one compute partition of an unpartitioned GPU
Handle = Any  # ctypes pointer to an opaque structure


class AmdStatus(IntEnum):
    INVAL = 1
    NOT_SUPPORTED = 2
    NOT_YET_IMPLEMENTED = 3
    FAIL_LOAD_SYMBOL = 5
    TIMEOUT = 8
    RETRY = 9
    NO_PERM = 10
    INTERRUPT = 11
    FILE_ERROR = 14
    INIT_ERROR = 18
    BUSY = 30
    NOT_FOUND = 31
    NOT_INIT = 32
    DRIVER_NOT_LOADED = 34
    NO_DATA = 40
    NO_DRV = 51


class AmdError(Exception):
    """What a call answered; `code` is None where the package itself is at fault."""

    def __init__(self, code: int | None, words: str) -> None:
        super().__init__(" ".join(words.split()))
        self.code = code


# This device or this driver does not offer it: the channel is left out.
NOT_OFFERED = frozenset(
    {
        AmdStatus.INVAL,
        AmdStatus.NOT_SUPPORTED,
        AmdStatus.NOT_YET_IMPLEMENTED,
        AmdStatus.FAIL_LOAD_SYMBOL,
        AmdStatus.NO_PERM,
        AmdStatus.FILE_ERROR,
    }
)
# Nothing to say at this moment: the one reading is left out.
PASSING = frozenset(
    {AmdStatus.TIMEOUT, AmdStatus.RETRY, AmdStatus.INTERRUPT, AmdStatus.BUSY, AmdStatus.NO_DATA}
)
NO_DRIVER = (
    "the amdgpu driver is not loaded",
    "load it (modprobe amdgpu), or install AMD's driver, if the machine has an AMD GPU",
)
CAUSES = {
    AmdStatus.DRIVER_NOT_LOADED: NO_DRIVER,
    AmdStatus.NO_DRV: NO_DRIVER,
    AmdStatus.INIT_ERROR: NO_DRIVER,
    AmdStatus.NO_PERM: ("AMD SMI refuses this user", "join the groups render and video, and log in again"),
}
OTHER_REMEDY = "see whether amd-smi answers, and the kernel's log for amdgpu"
NO_PACKAGE = Unavailable(
    meter=METER,
    reason="the Python package amdsmi is not here",
    remedy="if the machine has an AMD GPU, install the one that came with its ROCm: "
    "`.venv/bin/pip install /opt/rocm/share/amd_smi`",
)
NO_LIBRARY = Unavailable(
    meter=METER,
    reason="the Python package amdsmi finds no libamd_smi.so of its own version",
    remedy="install amd-smi-lib, then `.venv/bin/pip install /opt/rocm/share/amd_smi`, which fits it",
)
NO_GPU = Unavailable(
    meter=METER,
    reason="AMD SMI is here but sees no GPU",
    remedy="look for the GPU in lspci and for amdgpu's complaint in the kernel's log",
)
PARTITIONED = Unavailable(
    meter=METER,
    reason="is partitioned: its readings are of the whole GPU, not of the part that works",
    remedy=f"make it whole (amd-smi set --compute-partition {WHOLE}), or measure on another GPU",
)


def library() -> ModuleType | Unavailable:
    """The package, or why it cannot be used. Without its C library it prints, and raises whatever it comes upon."""
    if "amdsmi" not in sys.modules and importlib.util.find_spec("amdsmi") is None:
        return NO_PACKAGE  # and nothing to silence: that would take the output of every other thread, too
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return importlib.import_module("amdsmi")
    except ModuleNotFoundError as error:
        return NO_PACKAGE if error.name == "amdsmi" else NO_LIBRARY
    except (Exception, SystemExit):  # noqa: BLE001
        return NO_LIBRARY


@cache
def _start(package: ModuleType) -> None:
    """Once and for good: a second start, or an end, would take the handles of those who hold some."""
    _call(package, "amdsmi_init")


def handles() -> list[Handle]:
    """All GPUs, in AMD SMI's order. Raises: AmdError."""
    package = library()
    if isinstance(package, Unavailable):
        raise AmdError(None, package.reason)
    _start(package)
    return list(_call(package, "amdsmi_get_processor_handles"))


def lacking() -> Unavailable | None:
    """Why nobody can compute on a GPU here; None where the driver answers and has one."""
    if isinstance(package := library(), Unavailable):
        return package
    try:
        return None if handles() else NO_GPU
    except AmdError as error:
        return unavailable(error, "starting AMD SMI")


def ask(function: str, *arguments: Any) -> Any:
    """Raises: AmdError; what this version of the package does not have is not supported."""
    package = library()
    if isinstance(package, Unavailable):
        raise AmdError(None, package.reason)
    return _call(package, function, *arguments)


def _call(package: ModuleType, function: str, *arguments: Any) -> Any:
    if not hasattr(package, function):
        raise AmdError(AmdStatus.NOT_SUPPORTED, f"{function} is not in this version of amdsmi")
    try:
        return getattr(package, function)(*arguments)
    except package.AmdSmiException as error:
        raise AmdError(getattr(error, "err_code", None), f"{function}: {error}") from error


def constant(group: str, name: str) -> Any:
    """A member of one of the package's enumerations."""
    return getattr(getattr(library(), group), name)


def told(function: str, *arguments: Any) -> Any:
    """An answer, or None where this device or driver does not offer it, or has none now."""
    try:
        answer = ask(function, *arguments)
    except AmdError as error:
        if error.code in NOT_OFFERED | PASSING:
            return None
        raise
    return None if answer == "N/A" else answer


def unavailable(error: AmdError, doing: str) -> Unavailable:
    """What an error means for the user."""
    reason, remedy = CAUSES.get(AmdStatus(error.code), ("", "")) if error.code in set(AmdStatus) else ("", "")
    return Unavailable(meter=METER, reason=reason or f"{doing}: {error}", remedy=remedy or OTHER_REMEDY)


def refusal(gpu: Handle, label: str) -> Unavailable | None:
    """Rule R17: readings are of a whole GPU, so a part of one cannot be measured."""
    partition = told("amdsmi_get_gpu_compute_partition", gpu)
    if partition in (None, "", WHOLE):
        return None
    return PARTITIONED.model_copy(update={"reason": f"{label} {PARTITIONED.reason} ({partition})"})


def simulated() -> bool:
    return hasattr(library(), EMULATOR_MARK.replace("-", "_"))
