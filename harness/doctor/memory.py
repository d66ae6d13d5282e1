"""Memory and swap."""

from __future__ import annotations

from collections.abc import Iterator

import psutil

from harness.doctor.check import PLAYBOOK, Check, judged
from harness.host.files import ROOT
from harness.host.tuning import swaps

NEEDED_BYTES = 4 << 30  # TensorFlow with the largest of the shipped workloads stays below


def checks() -> Iterator[Check]:
    yield free_memory(psutil.virtual_memory().available)
    yield swap(swaps(ROOT))


def free_memory(available_bytes: int) -> Check:
    return judged(
        "memory",
        available_bytes >= NEEDED_BYTES,
        f"{available_bytes / 2**30:.1f} GiB free",
        "a run that swaps or is killed for memory is no measurement",
        f"close other programs: {NEEDED_BYTES >> 30} GiB are wanted",
    )


def swap(areas: list[str] | None) -> Check:
    return judged(
        "swap",
        not areas,
        ", ".join(areas) if areas else "off",
        "pages written to a disk cost energy and time that are none of the framework's",
        f"{PLAYBOOK} quiet (or: swapoff -a)",
    )
