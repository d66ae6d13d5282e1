"""What another user would find: the rights of a test's own folders are no part of it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534


@contextmanager
def unprivileged(folder: Path) -> Iterator[None]:
    """As a user without rights, who may still enter the test's own folders: pytest closes all of them to others."""
    if os.geteuid() != 0:
        yield
        return
    for own in (folder, *folder.parents):
        if own == Path(tempfile.gettempdir()) or own == own.parent:
            break
        own.chmod(own.stat().st_mode | 0o111)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
