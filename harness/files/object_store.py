"""Whole files in a store that others share, by URL (s3://, gs://, file://): put once, and got within a bound.

Through fsspec, with the login that each store's own library finds. What is there already is never written over, also
not by two writers at once: the store itself refuses the second (mode "xb", which an S3 answers by If-None-Match). A
server that only speaks S3 may not: so a name is looked for first, and what two writers put at once there is one's.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem
from fsspec.spec import AbstractFileSystem

from harness.errors import CampaignError, MissingPrerequisite, SuiteError, TooLarge, UsageError, cause
from harness.files.shown_urls import shown
from harness.files.untrusted import printable

PIECE_BYTES = 1 << 20
MOST_FILES = 10_000  # of one folder
# Of which mode "xb" is what it says; FTP, for one, writes over.
EXCLUSIVE = {"file", "local", "memory", "s3", "s3a", "gs", "gcs"}
CHAIN = "::"  # what fsspec parts URLs at, of which one is read through the other


def is_url(text: str) -> bool:
    return "://" in text


def require_writable(url: str) -> None:
    """Before minutes are spent on what it is to hold. Raises: as put_new, as far as it is known so early.

    UsageError also for a store that no other program ever sees.
    """
    with _errors_of(url):
        system, _ = url_to_fs(url)
        _require_exclusive(system, url)
        if isinstance(system, MemoryFileSystem):
            raise UsageError(
                f"{_told(url)} is in this program's memory, and gone when it ends: name s3://, gs:// or file://"
            )


def put_new(file: Path, url: str) -> bool:
    """Whether it was put there; False where the same many bytes had that name before, as after a second try.

    Raises: UsageError where another file has its name, or the store may write over one; MissingPrerequisite,
    CampaignError as get.
    """
    with _errors_of(url):
        system, path = url_to_fs(url)
        _require_exclusive(system, url)
        if isinstance(system, LocalFileSystem):
            system.makedirs(system._parent(path), exist_ok=True)
        try:
            _require_free(system, path)
            _copy(file, system, path)
        except FileExistsError as error:
            if system.size(path) != file.stat().st_size:
                raise UsageError(
                    f"{_told(url)} is there already, and is not this file: half of it, where its writer was "
                    "killed, may be removed"
                ) from error
            return False
    return True


def _require_free(system: AbstractFileSystem, path: str) -> None:
    """Asked of the store, not of what was listed before. Raises: FileExistsError."""
    system.invalidate_cache()
    if system.exists(path):
        raise FileExistsError(path)


def _copy(file: Path, system: AbstractFileSystem, path: str) -> None:
    """What ends it in the middle, as Ctrl-C does, leaves no half: a store keeps what it has when it is closed."""
    broken = None
    try:
        with file.open("rb") as source, system.open(path, "xb") as target:
            try:
                shutil.copyfileobj(source, target, PIECE_BYTES)
            except BaseException as error:
                broken = error
                raise
    except BaseException as error:
        if error is broken:  # else it was not closed, and what is there may be another's
            with suppress(Exception):
                system.rm_file(path)
        raise


def _require_exclusive(system: AbstractFileSystem, url: str) -> None:
    kinds = {system.protocol} if isinstance(system.protocol, str) else set(system.protocol)
    if not kinds & EXCLUSIVE:
        raise UsageError(
            f"{_told(url)} is not written to: nobody knows whether such a store refuses to write over a file; "
            "s3://, gs:// and file:// do"
        )


def names_in(url: str, suffix: str) -> list[str]:
    """The URLs of the files in a folder whose names end so. Raises: as get, and UsageError where there is none."""
    with _errors_of(url):
        system, path = url_to_fs(url)
        files = [one["name"] for one in system.ls(path, detail=True) if one["type"] == "file"]
    names = sorted(name.rpartition("/")[2] for name in files if name.endswith(suffix))
    if not names:
        raise UsageError(f"{_told(url)} holds no file *{suffix}")
    if len(names) > MOST_FILES:
        raise UsageError(f"{_told(url)} holds more than the {MOST_FILES} files that are read")
    if odd := next((name for name in names if CHAIN in name), None):
        raise UsageError(f"{_told(url)} holds {printable(odd)}, which no URL can name: it has {CHAIN} in it")
    return [f"{url.rstrip('/')}/{name}" for name in names]


def get(url: str, place: Path, most_bytes: int) -> None:
    """Writes the new file `place`. Raises: CampaignError where it is not there, TooLarge beyond `most_bytes`.

    MissingPrerequisite where its kind of store needs a package that is not here.
    """
    copied = 0
    try:
        with place.open("xb") as target:
            for piece in _pieces(url):
                if (copied := copied + len(piece)) > most_bytes:
                    raise TooLarge(f"{_told(url)} is larger than the {most_bytes} bytes that are read")
                target.write(piece)
    except OSError as error:
        raise CampaignError(
            f"{_told(url)} cannot be kept in {place.parent}: {cause(error)}; TMPDIR names another folder"
        ) from error


def _pieces(url: str) -> Iterator[bytes]:
    with _errors_of(url):
        system, path = url_to_fs(url)
        with system.open(path, "rb") as source:
            while piece := source.read(PIECE_BYTES):
                yield piece


def _told(url: str) -> str:
    return printable(shown(url))


@contextmanager
def _errors_of(url: str) -> Iterator[None]:
    """Every store has errors of its own library."""
    called = _told(url)
    try:
        yield
    except SuiteError:
        raise
    except FileNotFoundError as error:
        raise CampaignError(f"{called} does not exist") from error
    except ImportError as error:
        why = shown(cause(error))
        raise MissingPrerequisite(f"{called} needs a package that is not here: {why}") from error
    except ValueError as error:
        raise UsageError(f"{called} is not understood: {shown(cause(error))}") from error
    except Exception as error:
        raise CampaignError(f"{called} cannot be reached: {shown(cause(error))}") from error
