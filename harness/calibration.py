"""Which calibration counts where: kept in the home folder, and what counted for a campaign beside its record.

A calibration counts on the machine, with the settings and with the boundary of energy that it was made with.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock

from harness import machine, paths, resume, store
from harness.analysis import null_campaign
from harness.analysis.costs import with_rates
from harness.analysis.summary import analyse
from harness.calibration_records import MOST_KEPT, Calibrated, Calibration, Calibrations, KeptCalibration
from harness.errors import CampaignError, UnsafeFile
from harness.record_files import read_record
from harness.records import Channel, Plan

CALIBRATION_FILE = "calibration.json"


def of(campaign: store.Campaign, described: Mapping[str, Any]) -> Calibrated:
    """What a null campaign found. `described`: its machine, also of an anonymous one.

    Raises: CampaignError if nothing of it can be told.
    """
    record, counted = campaign.record, with_rates(analyse(campaign).counted)
    plan, labelled = record.plan, null_campaign.labels(record.plan, record.order)
    noise = tuple(null_campaign.noises(counted, labelled, plan.seed))
    if not noise:
        raise CampaignError(f"{campaign.folder} tells no noise: no quantity is known of two blocks")
    modes = set(counted["mode"].dropna())
    made = Calibration(
        created=datetime.now(UTC).replace(microsecond=0), profile=plan.profile, treatment=plan.treatments[0],
        mode=modes.pop() if len(modes) == 1 else None, isolation=record.isolation, blocks=plan.repetitions,
        seed=plan.seed, suite_sha256=record.suite_sha256, noise=noise,
    )  # fmt: skip
    return Calibrated(machine=dict(described), channels=record.channels, calibration=made)


def load() -> tuple[Calibrated, ...]:
    """Those made here. Raises: CampaignError naming a damaged file and the remedy, UnsafeFile for a link."""
    path = paths.calibrations()
    if not os.path.lexists(path):
        return ()
    try:
        return read_record(Calibrations, path.parent, path.name).calibrations
    except CampaignError as error:
        raise CampaignError(f"{error}: not used; remove it, and run suite calibrate") from error


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


def changes(one: Calibrated, described: Mapping[str, Any], channels: tuple[Channel, ...]) -> Iterator[str]:
    """What keeps a calibration from counting."""
    yield from resume.changed_machine(one, described, channels)
    before, now = (each.get("settings") or {} for each in (one.machine, described))
    yield from (name for name in sorted({*before, *now}) if before.get(name) != now.get(name))
    if _sources(one.channels) != _sources(channels):
        yield "what the joules come from"


def _sources(channels: Iterable[Channel]) -> set[tuple[str, str, str]]:
    return {(one.meter, one.unit, str(one.provenance)) for one in channels if one.boundary}


def choose(
    made: Iterable[Calibrated], described: Mapping[str, Any], channels: tuple[Channel, ...], plan: Plan,
    isolation: str,
) -> KeptCalibration:  # fmt: skip
    """The one that counts for a plan here: of its own work and isolation where there is one, then the latest."""
    made = sorted(made, key=lambda one: one.calibration.created)
    devices = {one.device for one in plan.treatments}
    fitting = [one for one in made if one.calibration.treatment.device in devices]
    counting = [one.calibration for one in fitting if not list(changes(one, described, channels))]
    if not counting:
        return KeptCalibration(calibration=None, reason=_why_none(made, fitting, described, channels))
    workloads = {one.workload for one in plan.treatments}
    return KeptCalibration(
        calibration=max(
            counting,
            key=lambda one: (one.treatment.workload in workloads, one.isolation == isolation, one.created),
        )
    )


def _why_none(
    made: list[Calibrated], fitting: list[Calibrated], described: Mapping[str, Any], channels: tuple[Channel, ...]
) -> str:  # fmt: skip
    if not fitting:
        return f"none was made on {made[-1].calibration.treatment.device} alone" if made else ""
    return f"the last one does not count here: {', '.join(changes(fitting[-1], described, channels))} changed"


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
