"""The machine on which a campaign runs: its description, its CPUs, and room on its disk."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import MissingPrerequisite
from harness.host.identity import identity
from harness.host.tuning import tuning

CPUS_ENOUGH = 4  # from here on one CPU less costs the workload little
RUN_BYTES = 4 << 20  # generous: samples, events and console log of one run
RESERVE_BYTES = 100 << 20


def describe() -> dict[str, Any]:
    """Which machine it is and, under `settings`, how it is set; JSON types only, null where it does not tell."""
    return {**identity(), "settings": tuning()}


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
            "free some, or measure on another disk (-o; on a cluster's node $SLURM_TMPDIR)"
        )
