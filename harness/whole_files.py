"""Files that are whole or not there: a crash, or a full disk, leaves what was there before."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


def write_text(path: Path, text: str) -> None:
    """Writes a file whole or not at all."""
    with replacing(path) as file:
        file.write(text.encode())


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file that takes its name when it is whole, or never."""
    partial = partial_of(path)
    try:
        with partial.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def partial_of(path: Path) -> Path:
    """Where the beginning of a file lies until it is whole."""
    return path.with_name(f".{path.name}.partial")
