"""Files that are whole or not there: a crash, or a full disk, leaves what was there before."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

SUFFIX = ".partial"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC  # never what somebody put there


def write_text(path: Path, text: str) -> None:
    """Writes a file whole or not at all."""
    with replacing(path) as file:
        file.write(text.encode())


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file that takes its name when it is whole, or never; a link of that name is replaced, not followed."""
    partial = path.with_name(f".{path.name}.{token_hex(4)}{SUFFIX}")
    with os.fdopen(os.open(partial, _NEW, 0o666), "wb") as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            partial.replace(path)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise


def settle(folder: Path) -> None:
    """Has the disk hold the files of a folder: a machine that stops keeps none of them by half."""
    for path in folder.iterdir():
        if path.is_file() and not path.is_symlink():
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def is_partial_of(found: Path, path: Path) -> bool:
    """Whether a file is what was left of `path` where its writer was killed."""
    return found.name.startswith(f".{path.name}.") and found.name.endswith(SUFFIX)
