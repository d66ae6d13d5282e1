"""Calibrations on disk: those made here, in the home folder, and what counted for a campaign, beside its record."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryFile

from filelock import FileLock

from harness import paths, store
from harness.calibration.choice import changes, choose
from harness.calibration.records import (
    MOST_KEPT,
    Calibrated,
    Calibrations,
    KeptCalibration,
)
from harness.errors import CampaignError, MissingPrerequisite, UnsafeFile
from harness.files.record_files import read_record
from harness.host import machine
from harness.records import Channel, Plan

CALIBRATION_FILE = "calibration.json"


def load() -> tuple[Calibrated, ...]:
    """Those made here. Raises: CampaignError naming a damaged file and the remedy, UnsafeFile for a link."""
    path = paths.calibrations()
    if not os.path.lexists(path):
        return ()
    try:
        return read_record(Calibrations, path.parent, path.name).calibrations
    except CampaignError as error:
        raise CampaignError(f"{error}: not used; remove it, and run suite calibrate") from error


def require_place() -> None:
    """Before minutes are spent: what is there can be read, and another can be put beside it.

    Raises: as load, and MissingPrerequisite where the home folder cannot be written.
    """
    load()
    try:
        paths.home().mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=paths.home()):
            pass
    except OSError as error:
        raise MissingPrerequisite(
            f"{paths.home()} cannot be written ({error.strerror}): a calibration is kept there; see JOULEMARK_HOME"
        ) from error


def save(new: Calibrated) -> Path:
    """In the place of older ones of the same machine, settings, meters and work; the latest MOST_KEPT stay."""
    path = paths.calibrations()
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{path}.lock"):
        kept = [one for one in load() if not _replaced(one, new)]
        store.write_record(path, Calibrations(calibrations=(*kept, new)[-MOST_KEPT:]))
    return path


def _replaced(old: Calibrated, new: Calibrated) -> bool:
    before, after = old.calibration, new.calibration
    same_work = (before.treatment, before.isolation, before.profile) == (
        after.treatment, after.isolation, after.profile,
    )  # fmt: skip
    return same_work and not list(changes(old, new.machine, new.channels))


def found(plan: Plan, channels: tuple[Channel, ...], isolation: str) -> KeptCalibration:
    """What counts here and now; a damaged file counts for nothing, and is named."""
    try:
        return choose(load(), machine.describe(), channels, plan, isolation)
    except (CampaignError, UnsafeFile):
        return KeptCalibration(calibration=None, reason=f"{CALIBRATION_FILE} of the home folder is damaged")


def keep(folder: Path, plan: Plan, channels: tuple[Channel, ...], isolation: str) -> None:
    """Puts it beside a campaign, so that whoever reads that reads the same, wherever it is."""
    one = found(plan, channels, isolation)
    if one.calibration or one.reason:
        store.write_record(folder / CALIBRATION_FILE, one)


def of_campaign(folder: Path) -> KeptCalibration:
    """What counted for a campaign; of a damaged file only that. Raises: UnsafeFile for a link."""
    if not os.path.lexists(folder / CALIBRATION_FILE):
        return KeptCalibration(calibration=None)
    try:
        return read_record(KeptCalibration, folder, CALIBRATION_FILE)
    except CampaignError:
        return KeptCalibration(calibration=None, reason=f"{CALIBRATION_FILE} of the campaign is damaged")
