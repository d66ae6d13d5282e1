"""Whether a campaign is being carried out: a lock in its folder, which the kernel opens if its holder dies."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

LOCK_FILE = ".lock"
GRACE_S = 2.0  # a child that a killed harness had just forked shares its lock until it is another program


@contextmanager
def hold(campaign: Path) -> Iterator[None]:
    """For the process that carries the campaign out."""
    with FileLock(campaign / LOCK_FILE, timeout=GRACE_S):
        yield


def is_held(campaign: Path) -> bool:
    """Leaves nothing behind, and needs no right to write: also of a folder that is none, or another user's."""
    try:
        with (campaign / LOCK_FILE).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except BlockingIOError:
        return True
    return False
