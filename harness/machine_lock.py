"""One campaign at a time on a machine: a second one would measure the first.

The kernel's lock on a file that all users share; it goes with the process that holds it, however that ends, so a
file left behind blocks nobody.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness import paths
from harness.errors import MissingPrerequisite

GRACE_S = 2.0


@contextmanager
def hold(campaign: Path) -> Iterator[None]:
    """Holds the machine for a campaign. Raises: MissingPrerequisite naming who holds it."""
    path = paths.machine_lock()
    descriptor = _open(path)
    try:
        _lock(descriptor)
        os.ftruncate(descriptor, 0)
        os.pwrite(
            descriptor, json.dumps({"pid": os.getpid(), "campaign": str(campaign.absolute())}).encode(), 0
        )
        yield
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    try:  # without O_CREAT: in a sticky folder the kernel refuses it on another user's file (fs.protected_regular)
        return os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_CREAT, 0o666)
        os.fchmod(descriptor, 0o666)  # whatever the umask: the next campaign may be another user's
        return descriptor
    except OSError as error:
        raise MissingPrerequisite(f"the machine's lock {path} cannot be opened: {error.strerror}") from error


def _lock(descriptor: int) -> None:
    """Waits a little: a child that a killed harness had just forked shares its lock until it is another program."""
    end_s = time.monotonic() + GRACE_S
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() > end_s:
                message = f"{_holder(descriptor)}; one campaign at a time on a machine"
                raise MissingPrerequisite(message) from error
            time.sleep(GRACE_S / 20)


def _holder(descriptor: int) -> str:
    try:
        found = json.loads(os.pread(descriptor, 4096, 0))
        return f"the campaign in {found['campaign']} is under way (process {found['pid']})"
    except (ValueError, KeyError, TypeError):  # it has the lock, and has not written yet
        return "another campaign is under way"
