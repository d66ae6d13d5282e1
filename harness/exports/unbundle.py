"""A bundle back into a campaign, if every file has its checksum; somebody else may have packed it, or built it."""

from __future__ import annotations

import errno
import hashlib
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from gzip import BadGzipFile, GzipFile
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from pydantic import TypeAdapter, ValidationError

from harness import shape_errors
from harness.errors import CampaignError, TooLarge, cause
from harness.exports.bounded import PIECE_BYTES, Beyond, Bounded
from harness.exports.bundle import ORIGIN_FILE, REPORT_FILE, SUMS_FILE, Origin, software
from harness.files.untrusted import parse_json, printable, read_beneath
from harness.store import CAMPAIGN_FILE

MOST_MEMBERS = 1_000_000  # twice what the greatest plan leaves
MOST_NAME, MOST_DEPTH = 500, 6
MOST_BYTES = 16 << 30  # unpacked
MOST_SUMS_BYTES = 256 << 20
MOST_RATIO, ALWAYS_BYTES = 100, 64 << 20  # unpacked to packed; up to so many bytes any ratio will do
PAX_KEYS = {"path"}  # all that our own bundles have, for long names
DAMAGE = (tarfile.TarError, zlib.error, EOFError, OSError, ValueError, ArithmeticError, RecursionError)
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)  # here, which is no fault of the bundle
EXPECTED = (CAMPAIGN_FILE, REPORT_FILE, ORIGIN_FILE)
ORIGIN = TypeAdapter(Origin)

Sums = Mapping[str, str]


@contextmanager
def opened(bundle: Path, most_bytes: int = MOST_BYTES) -> Iterator[Path]:
    """The campaign within, unpacked for as long as it is needed.

    Raises: CampaignError for what is no bundle, or one that was altered, or built to fill a disk or a memory; TooLarge
    for one that may be right, and unpacks to more than `most_bytes`.
    """
    with TemporaryDirectory(prefix="joulemark-") as place:
        yield _unpacked(bundle, Path(place), most_bytes)


def origin(folder: Path) -> Origin:
    """Raises: CampaignError if it is damaged."""
    try:
        text = read_beneath(folder, ORIGIN_FILE)
        parse_json(text)
        return ORIGIN.validate_json(text, strict=True)
    except ValidationError as error:
        raise CampaignError(f"{ORIGIN_FILE} is not valid: {shape_errors.reason(error)}") from error
    except (ValueError, OSError) as error:
        raise CampaignError(f"{ORIGIN_FILE} cannot be read: {cause(error)}") from error


def made_otherwise(folder: Path) -> list[str]:
    """The software of which this machine has another version than the one that made the bundle."""
    there, here = origin(folder).software, software()
    return [
        f"{name} {there.get(name)} there, {here[name]} here" for name in here if there.get(name) != here[name]
    ]


def _unpacked(bundle: Path, place: Path, most_bytes: int) -> Path:
    try:
        with bundle.open("rb") as packed, GzipFile(fileobj=packed, mode="rb") as stream:
            plausible = min(MOST_BYTES, max(ALWAYS_BYTES, MOST_RATIO * bundle.stat().st_size))
            found = _extracted(Bounded(stream, min(plausible, most_bytes)), place)
    except DAMAGE as error:
        if isinstance(error, Beyond) and most_bytes < plausible:
            raise TooLarge(f"{bundle}: {cause(error)}") from error
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            raise CampaignError(
                f"{bundle} cannot be unpacked in {place.parent}: {cause(error)}; TMPDIR names another folder"
            ) from error
        raise CampaignError(
            f"{bundle} is not a whole bundle: {_line(error)} (suite export --format bundle writes one)"
        ) from error
    tops = {path.parts[0] for path in found}
    if len(tops) != 1:
        raise CampaignError(f"{bundle} is not a bundle: it holds {len(tops)} campaigns")
    folder = place / tops.pop()
    _require_sums(bundle, folder, {"/".join(path.parts[1:]): digest for path, digest in found.items()})
    return folder


def _extracted(stream: Bounded, place: Path) -> dict[PurePosixPath, str]:
    """The SHA-256 of each file."""
    found = dict[PurePosixPath, str]()
    with tarfile.open(fileobj=stream, mode="r:", errors="strict") as archive:
        for member in archive:
            path = _path(archive, member)
            if path in found or len(found) == MOST_MEMBERS:
                why = "twice" if path in found else f"beyond the {MOST_MEMBERS} files that are read"
                raise tarfile.TarError(f"it holds {member.name!r} {why}")
            found[path] = _extract(archive, member, place / path)
    return found


def _path(archive: tarfile.TarFile, member: tarfile.TarInfo) -> PurePosixPath:
    """Where a plain file lies inside the place, whatever the archive says. Raises: TarError for anything else."""
    path = PurePosixPath(member.name)
    odd = {*member.pax_headers, *archive.pax_headers} - PAX_KEYS
    plain = member.type in (tarfile.REGTYPE, tarfile.AREGTYPE) and not odd
    inside = not path.is_absolute() and ".." not in path.parts and 2 <= len(path.parts) <= MOST_DEPTH
    readable = len(member.name) <= MOST_NAME and printable(member.name) == member.name
    if not (plain and inside and readable) or "\\" in member.name:
        raise tarfile.TarError(f"it holds {member.name[:MOST_NAME]!r}, which is no file of a campaign")
    return path


def _extract(archive: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    content, digest, copied = archive.extractfile(member), hashlib.sha256(), 0
    assert content is not None  # a plain file
    with path.open("xb") as file:
        while piece := content.read(PIECE_BYTES):
            file.write(piece)
            digest.update(piece)
            copied += len(piece)
    if copied != member.size:
        raise tarfile.TarError(f"{member.name!r} is cut short")
    return digest.hexdigest()


def _require_sums(bundle: Path, folder: Path, found: Sums) -> None:
    if SUMS_FILE not in found:
        raise CampaignError(f"{bundle} is not a bundle: it has no {SUMS_FILE}")
    try:
        text = read_beneath(folder, SUMS_FILE, MOST_SUMS_BYTES).decode()
        if text.count("\n") > MOST_MEMBERS:
            raise CampaignError(f"{bundle} was altered: {SUMS_FILE} names more files than a bundle holds")
        lines = text.removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        raise CampaignError(f"{bundle} was altered: {SUMS_FILE} is no text") from error
    sums = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    altered = sorted(set(sums) ^ (set(found) - {SUMS_FILE}))
    altered += [name for name in sorted(set(sums) & set(found)) if found[name] != sums[name]]
    if altered:
        raise CampaignError(
            f"{bundle} was altered: {altered[0]} does not fit {SUMS_FILE}; get the file again"
        )
    if missing := [name for name in EXPECTED if name not in found]:
        raise CampaignError(f"{bundle} is not a bundle: it has no {missing[0]}")


def _line(error: Exception) -> str:
    if isinstance(error, BadGzipFile):
        return "it is not packed as one"
    return "it is nested too deeply" if isinstance(error, RecursionError) else cause(error)
