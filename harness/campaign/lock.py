"""Whether a campaign is being carried out: a lock in its folder, taken before anything else of it is touched."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.errors import MissingPrerequisite
from harness.files import exclusive
from harness.store import LOCK_FILE


@contextmanager
def hold(campaign: Path) -> Iterator[None]:
    """For the process that carries the campaign out. Raises: MissingPrerequisite if another one does."""
    descriptor = exclusive.open_lock(campaign / LOCK_FILE, 0o644)
    try:
        if not exclusive.acquire(descriptor):
            raise MissingPrerequisite(f"the campaign in {campaign} is being carried out by another process")
        yield
    finally:
        os.close(descriptor)


def is_held(campaign: Path) -> bool:
    """Leaves nothing behind, and needs no right to write: also of a folder that is none, or another user's."""
    try:
        descriptor = os.open(campaign / LOCK_FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:  # nothing there, or nothing that a campaign of ours would hold
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
