"""Whole files in a store that others share, by URL (s3://, gs://, file://): put once, and got within a bound.

Through fsspec, with the login that each store's own library finds. What is there already is never written over, also
not by two writers at once: the store itself refuses the second (mode "xb", which an S3 answers by If-None-Match).
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem
from fsspec.spec import AbstractFileSystem

from harness.errors import CampaignError, MissingPrerequisite, SuiteError, UsageError, cause
from harness.files.untrusted import printable

PIECE_BYTES = 1 << 20
MOST_FILES = 10_000  # of one folder
# Of which mode "xb" is what it says; FTP, for one, writes over.
EXCLUSIVE = {"file", "local", "memory", "s3", "s3a", "gs", "gcs"}


def is_url(text: str) -> bool:
    return "://" in text


def put_new(file: Path, url: str) -> bool:
    """Whether it was put there; False where the same many bytes had that name before, as after a second try.

    Raises: UsageError where another file has its name, or the store may write over one; MissingPrerequisite,
    CampaignError as get.
    """
    with _told(url):
        system, path = url_to_fs(url)
        _require_exclusive(system, url)
        if isinstance(system, LocalFileSystem):
            system.makedirs(system._parent(path), exist_ok=True)
        try:
            with file.open("rb") as source, system.open(path, "xb") as target:
                shutil.copyfileobj(source, target, PIECE_BYTES)
        except FileExistsError as error:
            if system.size(path) != file.stat().st_size:
                raise UsageError(
                    f"{printable(url)} is there already, and is not this file: half of it, where its writer was "
                    "killed, may be removed"
                ) from error
            return False
    return True


def _require_exclusive(system: AbstractFileSystem, url: str) -> None:
    kinds = {system.protocol} if isinstance(system.protocol, str) else set(system.protocol)
    if not kinds & EXCLUSIVE:
        raise UsageError(
            f"{printable(url)} is not written to: nobody knows whether such a store refuses to write over a file; "
            "s3://, gs:// and file:// do"
        )


def names_in(url: str, suffix: str) -> list[str]:
    """The URLs of the files in a folder whose names end so. Raises: as get, and UsageError where there is none."""
    with _told(url):
        system, path = url_to_fs(url)
        found = [one["name"] for one in system.ls(path, detail=True) if one["type"] == "file"]
        urls = [_url(system, name) for name in sorted(found) if name.endswith(suffix)]
    if not urls:
        raise UsageError(f"{printable(url)} holds no file *{suffix}")
    if len(urls) > MOST_FILES:
        raise UsageError(f"{printable(url)} holds more than the {MOST_FILES} files that are read")
    return urls


def get(url: str, place: Path, most_bytes: int) -> None:
    """Writes the new file `place`. Raises: CampaignError where it is not there, or larger than `most_bytes`.

    MissingPrerequisite where its kind of store needs a package that is not here.
    """
    copied = 0
    with _told(url):
        system, path = url_to_fs(url)
        with system.open(path, "rb") as source, place.open("xb") as target:
            while piece := source.read(PIECE_BYTES):
                if (copied := copied + len(piece)) > most_bytes:
                    raise CampaignError(
                        f"{printable(url)} is larger than the {most_bytes} bytes that are read"
                    )
                target.write(piece)


def _url(system: AbstractFileSystem, name: str) -> str:
    return str(system.unstrip_protocol(name))


@contextmanager
def _told(url: str) -> Iterator[None]:
    """Every store has errors of its own library."""
    shown = printable(url)
    try:
        yield
    except SuiteError:
        raise
    except FileNotFoundError as error:
        raise CampaignError(f"{shown} does not exist") from error
    except ImportError as error:
        raise MissingPrerequisite(f"{shown} needs a package that is not here: {cause(error)}") from error
    except ValueError as error:
        raise UsageError(f"{shown} is not understood: {cause(error)}") from error
    except Exception as error:
        raise CampaignError(f"{shown} cannot be reached: {cause(error)}") from error
