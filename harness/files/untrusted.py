"""What somebody else may have written: regular files only, never through a link, bounded, and shown as plain text."""

from __future__ import annotations

import json
import os
import resource
import stat
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from math import isfinite
from pathlib import Path, PurePath
from typing import Any, NoReturn

from harness.errors import UnsafeFile

LONGEST_WORD = 40  # of a number that is told
RECORD_BYTES = (
    64 << 20
)  # of one JSON record; the largest of ours, a plan's order of 100 000 runs, takes half of it
HIDDEN = {
    "Cc",
    "Cf",
    "Cn",
    "Cs",
    "Zl",
    "Zp",
}  # controls, invisible and bidirectional marks, no characters, lone surrogates, line ends

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = (
    os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
)  # a FIFO or device blocks nobody


def open_beneath(folder: Path, name: str | PurePath) -> int:
    """A descriptor of the regular file `name` below `folder`, reached without following any link on the way.

    Raises: UnsafeFile for a link, folder, FIFO or device, FileNotFoundError where there is nothing.
    """
    path = folder / name
    parts = PurePath(name).parts
    if not parts or PurePath(name).is_absolute() or ".." in parts:
        raise UnsafeFile(f"{printable(path)} lies outside {printable(folder)}")
    place = _open_folder(folder)
    try:
        for part in parts[:-1]:
            below = _open(part, _FOLDER, place, path)
            os.close(place)
            place = below
        return _regular(_open(parts[-1], _FILE, place, path), path)
    finally:
        os.close(place)


def read_beneath(folder: Path, name: str | PurePath, at_most_bytes: int = RECORD_BYTES) -> bytes:
    """The content of a file below `folder`. Raises: as open_beneath, and UnsafeFile if it is larger than that."""
    with os.fdopen(open_beneath(folder, name), "rb") as file:
        content = file.read(at_most_bytes + 1)
    if len(content) > at_most_bytes:
        raise UnsafeFile(f"{printable(folder / name)} is larger than the {at_most_bytes} bytes that are read")
    return content


def parse_json(text: bytes | str) -> Any:
    """JSON without what only Python accepts. Raises: ValueError, also where it is nested too deeply."""
    try:
        return json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except RecursionError:
        raise ValueError("nested too deeply") from None


class NotFinite(ValueError):
    """A number that Python writes into JSON, and JSON does not have: NaN, Infinity, or one that is too large."""


@contextmanager
def memory_within(more_bytes: int) -> Iterator[None]:
    """Lets this process take so much more memory within, by the kernel's word: MemoryError beyond it.

    For libraries that unpack what a header promises. It holds for all threads: one at a time may use it.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + more_bytes
    if soft != resource.RLIM_INFINITY:
        limit = min(soft, limit)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def printable(text: object) -> str:
    """A text that a terminal shows and never obeys: what is hidden or a command appears as its escape."""
    plain = str(text)
    return plain if plain.isprintable() else "".join(map(_shown, plain))


def _shown(character: str) -> str:
    if unicodedata.category(character) not in HIDDEN:
        return character
    return character.encode("unicode_escape").decode("ascii")


def _finite(word: str) -> float:
    """1e400 is well written, and Python makes it infinite."""
    return value if isfinite(value := float(word)) else _no_number(word)


def _no_number(word: str) -> NoReturn:
    raise NotFinite(f"{word[:LONGEST_WORD]} is no number")


def _open_folder(folder: Path) -> int:
    try:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        raise FileNotFoundError(f"{printable(folder)} does not exist") from None


def _open(name: str, flags: int, place: int, path: Path) -> int:
    try:
        return os.open(name, flags, dir_fd=place)
    except FileNotFoundError:
        raise FileNotFoundError(f"{printable(path)} does not exist") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnsafeFile(
            f"{printable(path)} is not read: only regular files that no link leads to ({reason})"
        ) from error


def _regular(descriptor: int, path: Path) -> int:
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise UnsafeFile(f"{printable(path)} is not read: it is no regular file")
