"""What a wheel installs, and where: its own RECORD, in a file whose hash the lock holds."""

from __future__ import annotations

import base64
import binascii
import configparser
import csv
import hashlib
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

from harness.environments.pins import Pin

VENV = PurePosixPath("/opt/venv")
SITE = VENV / "lib/python3.11/site-packages"
BIN = VENV / "bin"


@dataclass(frozen=True)
class Wheel:
    """`files` maps a place inside the image to the name in the archive, `sums` to the sha256 that RECORD says.

    `scripts` are made or rewritten by whoever installs it.
    """

    archive: zipfile.ZipFile
    files: Mapping[str, str]
    sums: Mapping[str, str]
    scripts: frozenset[str]

    def content(self, place: str) -> bytes:
        return self.archive.read(self.files[place])

    def holds(self, place: str, sha256: str) -> bool:
        """Whether a place has this content; what RECORD says wrongly, or not at all, the archive decides."""
        return sha256 == self.sums.get(place) or sha256 == hashlib.sha256(self.content(place)).hexdigest()


def find(house: Path, pin: Pin) -> Wheel | None:
    """The wheel of a pin, if it is in the house with a hash that the lock allows."""
    for path in sorted(house.glob("*.whl")):
        if _named(path) == pin.name and _sha256(path) in pin.hashes:
            return _opened(path)
    return None


def record(text: str) -> Iterator[tuple[str, str | None]]:
    """Name and sha256 of each line of a RECORD, which may be anybody's; None where there is none, or another hash."""
    for row in csv.reader(text.splitlines()):
        if row:
            yield row[0], _hex(row[1] if len(row) > 1 else "")


def _hex(written: str) -> str | None:
    kind, _, digest = written.partition("=")
    if kind != "sha256":
        return None
    try:
        return base64.urlsafe_b64decode(digest + "=" * (-len(digest) % 4)).hex()
    except (binascii.Error, ValueError):
        return ""


def _named(path: Path) -> str:
    try:
        return parse_wheel_filename(path.name)[0]
    except InvalidWheelFilename:
        return ""


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _opened(path: Path) -> Wheel:
    archive = zipfile.ZipFile(path)
    names = [name for name in archive.namelist() if not name.endswith("/")]
    # Its own alone: setuptools carries whole wheels of others below itself.
    records = (name for name in names if name.endswith(".dist-info/RECORD") and name.count("/") == 1)
    info = next(records).partition("/")[0]
    sums = dict(record(archive.read(f"{info}/RECORD").decode()))
    points = archive.read(f"{info}/entry_points.txt").decode() if f"{info}/entry_points.txt" in names else ""
    places = {_place(name, canonicalize_name(info.split("-")[0])): name for name in names}
    made = {place for place in places if place.startswith(f"{BIN}/")}
    return Wheel(
        archive,
        {place: name for place, name in places.items() if name != f"{info}/RECORD"},
        {place: digest for place, name in places.items() if (digest := sums.get(name))},
        frozenset(made | {str(BIN / name) for name in _entry_points(points)}),
    )


def _place(name: str, package: str) -> str:
    """Where pip puts a file (the wheel format's section "Spreading")."""
    top, _, rest = name.partition("/")
    if not top.endswith(".data"):
        return str(SITE / name)
    scheme, _, below = rest.partition("/")
    headers = VENV / "include/site/python3.11" / package
    return str({"scripts": BIN, "data": VENV, "headers": headers}.get(scheme, SITE) / below)


def _entry_points(text: str) -> list[str]:
    parser = configparser.ConfigParser(delimiters=("=",), interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(text)
    return [name for group in ("console_scripts", "gui_scripts") if group in parser for name in parser[group]]
