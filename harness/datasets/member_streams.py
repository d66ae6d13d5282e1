"""Large members of archives, piece by piece: memory holds a piece, however large the member is."""

from __future__ import annotations

import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path, PurePosixPath

from harness.errors import DataError

PIECE_BYTES = 1 << 22
LONGEST_LINE_BYTES = 1 << 24
DAMAGED = (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError, zlib.error)
UNREADABLE = (*DAMAGED, RuntimeError)  # encrypted, or packed in a way that zipfile does not know


def zip_lines(path: Path, name: str) -> Iterator[bytes]:
    """The member's lines, whole ones, several MB of them at a time; the last has an end, too.

    Raises: DataError if the archive is cut short, damaged or has no such member.
    """
    return _whole_lines(_zip_pieces(path, name), f"{path}: {name}")


def unpack(path: Path, targets: Mapping[str, Path]) -> None:
    """Writes members of a tar.gz archive, which must be regular files, to the paths given for them.

    Raises: as `zip_lines`.
    """
    with ExitStack() as stack:
        files = {name: stack.enter_context(target.open("wb")) for name, target in targets.items()}
        found = set()
        for name, piece in _tar_gz_pieces(path, targets):
            found.add(name)
            files[name].write(piece)
    if missing := sorted(set(targets) - found):
        raise DataError(f"{path} lacks {', '.join(missing)}")


# The errors are told where they arise: those of who consumes the pieces, a full disk say, pass by.


def _zip_pieces(path: Path, name: str) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(path) as archive, archive.open(name) as member:
            while piece := member.read(PIECE_BYTES):
                yield piece
    except KeyError as error:
        raise DataError(f"{path} lacks {name}") from error
    except UNREADABLE as error:
        raise DataError(f"{path} is not a whole zip archive: {error}") from error


def _tar_gz_pieces(path: Path, names: Mapping[str, Path]) -> Iterator[tuple[str, bytes]]:
    try:
        with tarfile.open(path, "r|gz") as archive:
            for entry in archive:
                name = str(PurePosixPath(entry.name))  # without the "./" that some archives put before it
                content = archive.extractfile(entry) if entry.isreg() and name in names else None
                while content and (piece := content.read(PIECE_BYTES)):
                    yield name, piece
    except DAMAGED as error:
        raise DataError(f"{path} is not a whole tar.gz archive: {error}") from error


def _whole_lines(pieces: Iterable[bytes], where: str) -> Iterator[bytes]:
    rest = b""
    for piece in pieces:
        lines, end, begun = piece.rpartition(b"\n")
        if end:
            yield rest + lines + end
            rest = begun
        elif len(rest) > LONGEST_LINE_BYTES:
            raise DataError(f"{where} has a line of more than {LONGEST_LINE_BYTES} bytes: it is no text")
        else:
            rest += begun
    if rest:
        yield rest + b"\n"
