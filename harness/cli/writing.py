"""Files that a command writes for its user: one that cannot be written is a mistake with its remedy."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.errors import UsageError


def require_place(output: Path | None) -> None:
    """Raises: UsageError where a part of a campaign would be written over what tells all of it."""
    if output is None:
        raise UsageError("-w, -f and -s tell a part of the campaign: name another place for it with -o")


@contextmanager
def writable(path: Path) -> Iterator[None]:
    """Raises: UsageError where what is within cannot write to `path`."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}; name another place with -o") from error


def require_folder_of(path: Path) -> None:
    """Before the work of a minute. Raises: UsageError where there is no folder for `path` that can be written to."""
    with writable(path):
        next(path.parent.iterdir(), None)
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not os.access(path.parent, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
