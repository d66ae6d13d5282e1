"""The machine on which a campaign runs, as far as it can be read without privileges."""

from __future__ import annotations

import os
import platform
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from harness.errors import MissingPrerequisite
from harness.meters import nvml

CPUS_ENOUGH = 4  # from here on one CPU less costs the workload little
RUN_BYTES = 4 << 20  # generous: samples, events and console log of one run
RESERVE_BYTES = 100 << 20


def describe() -> dict[str, Any]:
    """JSON types only; what cannot be read is null."""
    return {
        "hostname": platform.node(),
        "cpu_model": _cpu_model(),
        "logical_cpus": os.cpu_count(),
        "physical_cores": psutil.cpu_count(logical=False),
        "memory_bytes": psutil.virtual_memory().total,
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "os": _os_name(),
        "python": platform.python_version(),
        "governor": _read(Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")),
        **nvml.facts(),
        "virtualised": "hypervisor" in (_read(Path("/proc/cpuinfo")) or ""),
    }


def _cpu_model() -> str | None:
    lines = (_read(Path("/proc/cpuinfo")) or "").splitlines()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), None)


def _os_name() -> str | None:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME")
    except OSError:
        return None


def _read(path: Path) -> str | None:
    try:
        return path.read_text().strip()
    except OSError:
        return None


@dataclass(frozen=True)
class Cpus:
    """Which logical CPUs the workload and the sampler may use."""

    workload: tuple[int, ...]
    sampler: tuple[int, ...]


def share_cpus() -> Cpus:
    """The sampler gets the last CPU for itself where there are enough; a small machine is shared."""
    usable = tuple(sorted(os.sched_getaffinity(0)))
    return Cpus(usable[:-1], usable[-1:]) if len(usable) >= CPUS_ENOUGH else Cpus(usable, usable)


def require_space(folder: Path, runs: int) -> None:
    """Raises: MissingPrerequisite if the disk cannot hold a campaign of so many runs."""
    existing = next(parent for parent in (folder.absolute(), *folder.absolute().parents) if parent.exists())
    free, needed = shutil.disk_usage(existing).free, RESERVE_BYTES + runs * RUN_BYTES
    if free < needed:
        raise MissingPrerequisite(
            f"the disk of {existing} has {free >> 20} MiB free, {runs} runs need {needed >> 20} MiB: "
            "free some or name another folder with -o"
        )
