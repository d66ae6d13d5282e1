"""A campaign as one checksummed file, from which its report is made again bit for bit; the same bytes every time."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import platform
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Annotated, BinaryIO

from pydantic import Field

from harness import store
from harness.analysis.function_types import TYPES_FILE
from harness.errors import UnsafeFile
from harness.exports.frames import JSON_FILE
from harness.files.untrusted import printable, read_beneath
from harness.files.whole_files import replacing

SUFFIX = ".tar.gz"
REPORT_FILE, ORIGIN_FILE, SUMS_FILE = "report.html", "report.json", "SHA256SUMS"
FOLDERS = (store.RUNS, store.BASELINES, store.SOURCES)
DERIVED = (JSON_FILE, ORIGIN_FILE)
MOST_BYTES = 1 << 30  # of one file: as much as is read of samples
MOST_DEPTH = 4  # of folders in a campaign
DRAWN_WITH = ("joulemark", "jinja2", "numpy", "pandas", "pyarrow", "scipy", "vl-convert-python")


def software() -> dict[str, str]:
    """Version of each package that a report's bytes depend on."""
    return {
        "python": platform.python_version(),
        "zlib": zlib.ZLIB_RUNTIME_VERSION,
        **{name: version(name) for name in DRAWN_WITH},
    }


@dataclass(frozen=True)
class Origin:
    """What the bytes of a report depend on beside the campaign."""

    reference: str | None
    margin: Annotated[float, Field(gt=0, lt=1)] | None
    errors: str | None = None
    software: dict[str, str] = field(default_factory=software)

    @property
    def asked(self) -> dict[str, str | float | None]:
        """The options of the report."""
        return {"reference": self.reference, "margin": self.margin, "errors": self.errors}

    def text(self) -> str:
        return json.dumps(asdict(self), indent=1) + "\n"


def write_bundle(campaign: Path, report: str, origin: Origin, place: Path) -> None:
    """Raw records and samples of `campaign`, its report and its origin, and SHA256SUMS of them all.

    Trained states and what a crash left stay outside: no number comes from them.
    Raises: UnsafeFile for a link or anything else that is no plain file among the records.
    """
    sums = dict[str, str]()
    with replacing(place) as file, _packing(file) as archive:
        for name, content in _contents(campaign, report, origin):
            _add(archive, f"{campaign.name}/{name}", content)
            sums[name] = hashlib.sha256(content).hexdigest()
        listed = "".join(f"{digest}  {name}\n" for name, digest in sums.items())
        _add(archive, f"{campaign.name}/{SUMS_FILE}", listed.encode())


def _contents(campaign: Path, report: str, origin: Origin) -> Iterator[tuple[str, bytes]]:
    for name in names_of(campaign):
        if printable(name) != name:
            raise UnsafeFile(f"{name} cannot be packed: its name is not plain text")
        yield name, read_beneath(campaign, name, MOST_BYTES)
    yield REPORT_FILE, report.encode()
    yield ORIGIN_FILE, origin.text().encode()


def names_of(campaign: Path) -> Iterator[str]:
    """Of all that is to be packed, also of links, which no reading of them follows."""
    records = (path.name for path in sorted(campaign.glob("*.json")))
    yield from (name for name in records if name not in DERIVED)
    yield from (TYPES_FILE for _ in campaign.glob(TYPES_FILE))
    for folder in FOLDERS:
        yield from _below(campaign, PurePosixPath(folder))


def _below(campaign: Path, name: PurePosixPath) -> Iterator[str]:
    """What lies in a folder; the name of a link that stands in its place; nothing where nothing is."""
    path = campaign / name
    if path.is_dir() and not path.is_symlink() and len(name.parts) <= MOST_DEPTH:
        for below in sorted(path.iterdir()):
            yield from _below(campaign, name / below.name)
    elif os.path.lexists(path):
        yield str(name)


@contextmanager
def _packing(file: BinaryIO) -> Iterator[tarfile.TarFile]:
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        yield archive


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    """With no owner and no time."""
    member = tarfile.TarInfo(name)
    member.size = len(content)
    archive.addfile(member, io.BytesIO(content))
