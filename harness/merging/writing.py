"""A merged campaign on disk: copied byte for byte, with the SHA-256 of every file, whole or not at all."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from harness import store
from harness.calibration.on_disk import CALIBRATION_FILE
from harness.calibration.records import KeptCalibration
from harness.conformance.kept_proofs import CERTIFICATE_FILE, PROOFS
from harness.errors import CampaignError
from harness.exports.bundle import MOST_BYTES, SUMS_FILE
from harness.files import whole_files
from harness.files.record_files import read_record
from harness.files.untrusted import open_beneath, printable
from harness.merging import proven
from harness.merging.given import Mergeable, baseline_names
from harness.records import CampaignRecord
from harness.records.source import name_of_run

PIECE_BYTES = 1 << 20
RESOLVES = "merged: what each machine resolves stands with its own campaign, in sources"


def write(found: Sequence[Mergeable], record: CampaignRecord, out: Path) -> Path:
    """Made beside `out` and renamed into place, so that nobody ever sees half of it.

    Raises: CampaignError where it cannot be written, or a file is not what an earlier merge has noted of it.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{out.name}.partial-", dir=out.parent) as beside:
            apart = Path(beside) / out.name
            _fill(apart, found, record)
            os.sync()
            apart.replace(out)  # onto an empty folder, or where none was
    except OSError as error:
        raise CampaignError(f"cannot write the campaign to {out}: {error.strerror}") from error
    return out


def _fill(folder: Path, found: Sequence[Mergeable], record: CampaignRecord) -> None:
    store.create_campaign(folder, record, lambda states: record.weights)
    read_record(CampaignRecord, folder, store.CAMPAIGN_FILE)  # nothing takes its place that cannot be read
    for number, (one, source) in enumerate(zip(found, record.sources, strict=True), 1):
        sums, baselines = {}, baseline_names(source)
        for name, there in sorted(one.files.items()):
            place = baselines.get(name) or _place(number, name)
            sums[name] = _copy(one, there, folder / place)
            if sums[name] != one.sums.get(name, sums[name]):
                raise CampaignError(
                    f"{one.folder / there} was altered since it was merged: merge its source again"
                )
        listed = "".join(f"{digest}  {name}\n" for name, digest in sums.items())
        whole_files.write_text(folder / store.SOURCES / str(number) / SUMS_FILE, listed)
    if proofs := proven.by_all(found):
        whole_files.write_text(folder / CERTIFICATE_FILE, PROOFS.dump_json(proofs, indent=1).decode() + "\n")
    store.write_record(folder / CALIBRATION_FILE, KeptCalibration(calibration=None, reason=RESOLVES))


def _place(number: int, name: str) -> str:
    """Of a source's file in the merged campaign, but for baselines."""
    top, *rest = PurePosixPath(name).parts
    if top == store.RUNS:
        return "/".join((store.RUNS, name_of_run(number, rest[0]), *rest[1:]))
    return f"{store.SOURCES}/{number}/{name}"


def _copy(one: Mergeable, name: str, target: Path) -> str:
    """Its SHA-256. Raises: CampaignError for one that is larger than what is read, UnsafeFile for a link."""
    target.parent.mkdir(parents=True, exist_ok=True)
    digest, copied = hashlib.sha256(), 0
    with os.fdopen(open_beneath(one.folder, name), "rb") as source, target.open("xb") as file:
        while piece := source.read(PIECE_BYTES):
            if (copied := copied + len(piece)) > MOST_BYTES:
                raise CampaignError(
                    f"{printable(one.folder / name)} is larger than the {MOST_BYTES} bytes that are read"
                )
            digest.update(piece)
            file.write(piece)
    return digest.hexdigest()
