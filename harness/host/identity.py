"""Which machine it is: what stays the same until somebody opens it, or updates its firmware."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

import psutil

from harness.host.files import ROOT, number, read
from harness.host.machine_id import machine_id
from harness.meters import gpus

DMI = "sys/class/dmi/id"
DIMMS = "sys/devices/system/edac/mc/mc*/dimm*"


def identity(root: Path = ROOT) -> dict[str, Any]:
    """JSON types only; what cannot be read without privileges is null."""
    return {
        "machine_id": machine_id(root),
        "cpu_model": _cpuinfo(root, "model name"),
        "microcode": _cpuinfo(root, "microcode"),
        "logical_cpus": os.cpu_count(),
        "physical_cores": psutil.cpu_count(logical=False),
        "memory_bytes": psutil.virtual_memory().total,
        "memory_modules": memory_modules(root),
        "board": _words(root, "board_vendor", "board_name"),
        "firmware": _words(root, "bios_vendor", "bios_version", "bios_date"),
        "kernel": platform.release(),
        "frequency_driver": read(root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"),
        "architecture": platform.machine(),
        "os": _os_name(),
        "python": platform.python_version(),
        **gpus.facts(),
        "virtualised": "hypervisor" in (read(root, "proc/cpuinfo") or ""),
    }


def names(root: Path = ROOT) -> dict[str, Any]:
    """What tells whose machine it is: for the screen, and for no record, since records are sent on."""
    return {"hostname": platform.node(), "kernel_command_line": read(root, "proc/cmdline")}


def memory_modules(root: Path = ROOT) -> list[str] | None:
    """Size and kind of each module that the memory controller's driver (EDAC) shows; None without it."""
    found = [
        " ".join(filter(None, (_mebibytes(root, place), read(root, f"{place}/dimm_mem_type"))))
        for place in (str(path.relative_to(root)) for path in sorted(root.glob(DIMMS)))
    ]
    return [one for one in found if one] or None


def _mebibytes(root: Path, place: str) -> str:
    size = number(read(root, f"{place}/size"))
    return f"{size} MiB" if size else ""


def _words(root: Path, *names: str) -> str | None:
    return " ".join(filter(None, (read(root, f"{DMI}/{name}") for name in names))) or None


def _cpuinfo(root: Path, key: str) -> str | None:
    """The first line of this name in proc_cpuinfo(5)."""
    lines = (read(root, "proc/cpuinfo") or "").splitlines()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(key)), None)


def _os_name() -> str | None:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME")
    except OSError:
        return None
