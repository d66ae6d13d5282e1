"""A bundle back into a campaign, if every file has its checksum."""

from __future__ import annotations

import hashlib
import json
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from harness.errors import CampaignError
from harness.exports.bundle import ORIGIN_FILE, SUMS_FILE, Origin, software


@contextmanager
def opened(bundle: Path) -> Iterator[Path]:
    """The campaign within, unpacked for as long as it is needed.

    Raises: CampaignError for what is no bundle, or one that was altered.
    """
    with TemporaryDirectory(prefix="joulemark-") as place:
        yield _unpacked(bundle, Path(place))


def origin(folder: Path) -> Origin:
    return Origin(**json.loads((folder / ORIGIN_FILE).read_text()))


def made_otherwise(folder: Path) -> list[str]:
    """The software of which this machine has another version than the one that made the bundle."""
    there, here = origin(folder).software, software()
    return [
        f"{name} {there.get(name)} there, {here[name]} here" for name in here if there.get(name) != here[name]
    ]


def _unpacked(bundle: Path, place: Path) -> Path:
    try:
        with tarfile.open(bundle, "r:gz") as archive:
            found = {_extract(archive, member, place) for member in archive}
    except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
        raise CampaignError(
            f"{bundle} is not a whole bundle: {error} (suite export --format bundle writes one)"
        ) from error
    tops = {path.parts[0] for path in found}
    if len(tops) != 1:
        raise CampaignError(f"{bundle} is not a bundle: it holds {len(tops)} campaigns")
    folder = place / tops.pop()
    _require_sums(bundle, folder, {PurePosixPath(*path.parts[1:]).as_posix() for path in found})
    return folder


def _extract(archive: tarfile.TarFile, member: tarfile.TarInfo, place: Path) -> PurePosixPath:
    """Plain files inside the place only, whatever the archive says."""
    path, content = PurePosixPath(member.name), archive.extractfile(member) if member.isfile() else None
    if content is None or path.is_absolute() or ".." in path.parts or len(path.parts) < 2:
        raise tarfile.TarError(f"it holds {member.name!r}, which is no file of a campaign")
    (place / path).parent.mkdir(parents=True, exist_ok=True)
    (place / path).write_bytes(content.read())
    return path


def _require_sums(bundle: Path, folder: Path, found: set[str]) -> None:
    sums_file = folder / SUMS_FILE
    if not sums_file.is_file():
        raise CampaignError(f"{bundle} is not a bundle: it has no {SUMS_FILE}")
    lines = (line.partition("  ") for line in sums_file.read_text().splitlines())
    sums = {name: digest for digest, _, name in lines}
    altered = sorted(set(sums) ^ (found - {SUMS_FILE}))
    altered += [name for name in sorted(set(sums) & found) if _sum(folder / name) != sums[name]]
    if altered:
        raise CampaignError(
            f"{bundle} was altered: {altered[0]} does not fit {SUMS_FILE}; get the file again"
        )


def _sum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
