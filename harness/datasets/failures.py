"""What ends a preparation: one line that says the cause, that nothing was prepared, and what helps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from harness import paths
from harness.datasets.base import Source, remedy
from harness.errors import DataError, MissingPrerequisite


@contextmanager
def told(source: Source) -> Iterator[None]:
    """Raises: DataError if the files are not what they should be, MissingPrerequisite as `disk_told`."""
    with disk_told(source.name):
        try:
            yield
        except DataError as error:
            raise DataError(f"{error}; nothing was prepared: {remedy(source)}") from error


@contextmanager
def disk_told(name: str) -> Iterator[None]:
    """Raises: MissingPrerequisite if something cannot be read or written, because a disk is full, say."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or error  # NumPy's, on a full disk, have no number
        raise MissingPrerequisite(
            f"{name} cannot be written to {paths.data_home()} ({reason}); nothing was prepared: make room there or "
            "let JOULEMARK_HOME name another folder, and run the command again"
        ) from error
