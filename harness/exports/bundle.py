"""A campaign as one checksummed file, from which its report is made again bit for bit; the same bytes every time."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import platform
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import BinaryIO

from harness import store
from harness.exports.frames import JSON_FILE
from harness.whole_files import replacing

SUFFIX = ".tar.gz"
REPORT_FILE, ORIGIN_FILE, SUMS_FILE = "report.html", "report.json", "SHA256SUMS"
FOLDERS = (store.RUNS, store.BASELINES)
DERIVED = (JSON_FILE, ORIGIN_FILE)
DRAWN_WITH = ("joulemark", "altair", "jinja2", "numpy", "pandas", "pyarrow", "scipy", "vl-convert-python")


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
    margin: float | None
    software: dict[str, str] = field(default_factory=software)

    @property
    def asked(self) -> dict[str, str | float | None]:
        """The options of the report."""
        return {"reference": self.reference, "margin": self.margin}

    def text(self) -> str:
        return json.dumps(asdict(self), indent=1) + "\n"


def write_bundle(campaign: Path, report: str, origin: Origin, place: Path) -> None:
    """Raw records and samples of `campaign`, its report and its origin, and SHA256SUMS of them all.

    Trained states and what a crash left stay outside: no number comes from them.
    """
    sums = dict[str, str]()
    with replacing(place) as file, _packing(file) as archive:
        for name, content in _contents(campaign, report, origin):
            _add(archive, f"{campaign.name}/{name}", content)
            sums[name] = hashlib.sha256(content).hexdigest()
        listed = "".join(f"{digest}  {name}\n" for name, digest in sums.items())
        _add(archive, f"{campaign.name}/{SUMS_FILE}", listed.encode())


def _contents(campaign: Path, report: str, origin: Origin) -> Iterator[tuple[str, bytes]]:
    paths = [path for path in sorted(campaign.glob("*.json")) if path.name not in DERIVED]
    paths += [path for folder in FOLDERS for path in sorted((campaign / folder).rglob("*"))]
    for path in paths:
        if path.is_file():
            yield path.relative_to(campaign).as_posix(), path.read_bytes()
    yield REPORT_FILE, report.encode()
    yield ORIGIN_FILE, origin.text().encode()


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
