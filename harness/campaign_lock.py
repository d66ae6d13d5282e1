"""Whether a campaign is being carried out: a lock in its folder, which the kernel opens if its holder dies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

LOCK_FILE = ".lock"
GRACE_S = 2.0  # a child that a killed harness had just forked shares its lock until it is another program


@contextmanager
def hold(campaign: Path) -> Iterator[None]:
    """For the process that carries the campaign out."""
    with FileLock(campaign / LOCK_FILE, timeout=GRACE_S):
        yield


def is_held(campaign: Path) -> bool:
    try:
        with FileLock(campaign / LOCK_FILE, timeout=0):
            return False
    except Timeout:
        return True
