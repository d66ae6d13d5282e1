"""The kernel's lock on a file: it goes with the process that holds it, however that ends, so a file blocks nobody."""

from __future__ import annotations

import fcntl
import os
import stat
import time
from pathlib import Path

from harness.errors import MissingPrerequisite

GRACE_S = 2.0  # a child that a killed harness had just forked shares its lock until it is another program


def open_lock(path: Path, mode: int) -> int:
    """A descriptor of the lock's file, made with this mode if it is not there. Raises: MissingPrerequisite."""
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        try:  # without O_CREAT: in a sticky folder the kernel refuses it on another's file (fs.protected_regular)
            descriptor = os.open(path, flags)
        except FileNotFoundError:
            descriptor = os.open(path, flags | os.O_CREAT, mode)
            os.fchmod(descriptor, mode)  # whatever the umask
    except OSError as error:
        raise MissingPrerequisite(
            f"the lock {path} cannot be opened ({error.strerror}): whoever owns it must remove it"
        ) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise MissingPrerequisite(f"the lock {path} is no regular file; remove it")
    return descriptor


def acquire(descriptor: int, patience_s: float = GRACE_S) -> bool:
    """Waits so long for the lock; whether it was had."""
    end_s = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() > end_s:
                return False
            time.sleep(GRACE_S / 20)
