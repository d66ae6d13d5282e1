"""Members of tar and zip archives, read into memory by their exact names; nothing is unpacked to disk."""

from __future__ import annotations

import re
import tarfile
import zipfile
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath

from harness.errors import DataError

MOST_MEMBER_BYTES = 1 << 28  # the largest official member, CIFAR-100's training file, has 155 MB


def tar_gz_members(path: Path, names: Collection[str]) -> dict[str, bytes]:
    """Name -> content of the named members, which must all be regular files.

    Raises: DataError if the archive is cut short, lacks a member or has one that points out of it.
    """
    found = {}
    try:
        with tarfile.open(path, "r:gz") as archive:
            for member in archive:
                _check(path, member.name, member.size)
                content = archive.extractfile(member) if member.isreg() and member.name in names else None
                if content is not None:
                    found[member.name] = content.read()
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        raise DataError(f"{path} is not a whole tar.gz archive: {error}") from error
    missing = sorted(set(names) - set(found))
    if missing:
        raise DataError(f"{path} lacks {', '.join(missing)}")
    return found


def zip_members(path: Path, wanted: re.Pattern[str], most_bytes: int) -> Iterator[tuple[str, bytes]]:
    """Name and content of every member whose whole name matches, in the order of the names.

    Raises: DataError if the archive is cut short, or has a member that is too large or points out of it.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            for member in sorted(archive.infolist(), key=lambda one: one.filename):
                _check(path, member.filename, 0)
                if wanted.fullmatch(member.filename):
                    _check(path, member.filename, member.file_size, most_bytes)
                    yield member.filename, archive.read(member)
    # RuntimeError: encrypted; NotImplementedError: packed in a way that zipfile does not know
    except (zipfile.BadZipFile, EOFError, OSError, zlib.error, RuntimeError) as error:
        raise DataError(f"{path} is not a whole zip archive: {error}") from error


def _check(path: Path, name: str, size_bytes: int, most_bytes: int = MOST_MEMBER_BYTES) -> None:
    parts = PurePosixPath(name.replace("\\", "/"))
    if parts.is_absolute() or ".." in parts.parts:
        raise DataError(f"{path} has a member that points out of it ({name}): it is not the official archive")
    if size_bytes > most_bytes:
        raise DataError(f"{path}: {name} has {size_bytes} bytes, more than the {most_bytes} expected at most")
