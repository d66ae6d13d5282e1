"""Room for campaigns, and for what is prepared once."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from harness import paths
from harness.doctor.check import Check, Level, judged
from harness.host import machine

CAMPAIGN_RUNS = 112  # of the standard plan
PREPARED_BYTES = 8 << 30  # five images, their wheels, the data sets


def checks() -> Iterator[Check]:
    yield room("disk of campaigns", Path.cwd(), machine.RESERVE_BYTES + CAMPAIGN_RUNS * machine.RUN_BYTES)
    yield room("disk of wheels and data", paths.home(), PREPARED_BYTES)


def room(name: str, folder: Path, needed_bytes: int) -> Check:
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free_bytes = shutil.disk_usage(existing).free
    return judged(
        name,
        free_bytes >= needed_bytes,
        f"{free_bytes / 2**30:.1f} GiB free in {existing}",
        "a full disk ends a campaign; its finished runs stay",
        f"free {needed_bytes / 2**30:.1f} GiB, or name another folder (-o, JOULEMARK_HOME)",
        Level.MISSING,
    )
