"""Official files: downloaded with checksum and resume, or taken from a folder of the user's."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from harness import paths
from harness.datasets import failures
from harness.datasets.base import OfficialFile, Source
from harness.errors import DataError, MissingPrerequisite, UsageError

CHUNK_BYTES = 1 << 14  # what a broken connection may cost
TIMEOUT_S = 60
WEB = ("https://", "http://")


def check(folder: Path, source: Source) -> None:
    """Raises: DataError naming the first file that is absent or not byte for byte the official one."""
    for file in source.files:
        _check_file(folder / file.name, file, source)


def _check_file(path: Path, file: OfficialFile, source: Source) -> None:
    if not path.is_file():
        raise DataError(
            f"{path} is missing: {source.name} consists of {', '.join(f.name for f in source.files)}"
        )
    found = sha256(path)
    if found != file.sha256:
        raise DataError(
            f"{path} is damaged or another file: sha256 {found} ({path.stat().st_size} bytes), "
            f"official {file.sha256} ({file.size_bytes} bytes)"
        )


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def download(source: Source, mirror: str | None = None) -> Path:
    """Fetches what is not there yet; `mirror` is an address that holds the files under their own names.

    Raises: UsageError for what is no address, MissingPrerequisite if a server does not answer or the disk is full,
    DataError if what it sent is not the official file.
    """
    if mirror is not None and not mirror.startswith(WEB):
        raise UsageError(f"'{mirror}' is no address: --mirror takes https://HOST/FOLDER, or http://")
    with failures.disk_told(source.name):
        return _downloaded(source, mirror)


def _downloaded(source: Source, mirror: str | None) -> Path:
    import pooch  # with `requests` half a second, for whoever only asks what sets there are
    import requests

    folder = paths.data_home() / "downloads" / source.name
    for file in source.files:
        url = f"{mirror.rstrip('/')}/{file.name}" if mirror else file.url
        try:
            pooch.retrieve(url, f"sha256:{file.sha256}", file.name, folder, downloader=_resuming)
        except requests.RequestException as error:
            raise MissingPrerequisite(
                f"{url} cannot be fetched ({type(error).__name__}): run the command again to resume, or "
                f"download by hand and use: suite data import {source.name} DIR"
            ) from error
        except ValueError as error:  # pooch's word for a wrong hash; it has removed the file
            raise DataError(
                f"{url} is not the official {file.name}: sha256 differs from {file.sha256}"
            ) from error
    return folder


def _resuming(url: str, output_file: str, _: object) -> None:
    """A downloader for pooch that goes on where an interrupted one stopped (HTTP range requests)."""
    import requests

    partial = Path(output_file).parent / f"{Path(url).name}.partial"
    have = partial.stat().st_size if partial.exists() else 0
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT_S) as answer:
        if answer.status_code != requests.codes.requested_range_not_satisfiable:  # that one: it is whole
            answer.raise_for_status()
            resumed = answer.status_code == requests.codes.partial_content
            with partial.open("ab" if resumed else "wb") as file:
                file.writelines(answer.iter_content(CHUNK_BYTES))
    shutil.move(partial, output_file)
