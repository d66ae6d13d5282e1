"""The machine in the moment before a run, kept with the run; what a fair start needs is done here too."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import psutil

from harness.host.tuning import tuning
from harness.meters import gpus

CHUNK_BYTES = 1 << 22


def read_into_page_cache(folder: Path) -> int:
    """Reads a data set once, so that no framework is the first to fetch it from the disk; how many bytes."""
    total = 0
    for path in sorted(folder.glob("*.npy")):
        with path.open("rb", buffering=0) as file:
            while chunk := file.read(CHUNK_BYTES):
                total += len(chunk)
    return total


def at_start(data: Path) -> dict[str, Any]:
    """JSON types only; null or left out where the machine does not tell.

    `cpu_mhz` is the mean over logical CPUs; `gpus` as harness.meters.gpus.states,
    `settings` as harness.host.tuning.
    """
    frequency = psutil.cpu_freq()
    return {
        "data_read_bytes": read_into_page_cache(data),
        "load_1_min": os.getloadavg()[0],
        "cpu_mhz": frequency.current if frequency else None,
        "memory_available_bytes": psutil.virtual_memory().available,
        "gpus": gpus.states(),
        "settings": tuning(),
    }
