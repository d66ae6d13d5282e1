"""Files that a command writes for its user: one that cannot be written is a mistake with its remedy."""

from __future__ import annotations

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
