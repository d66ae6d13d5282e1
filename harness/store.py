"""Campaigns on disk: formats and versions. Reads and writes; computes nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from harness import whole_files
from harness.errors import CampaignError
from harness.records import (
    FORMAT_VERSION,
    CampaignRecord,
    Outcome,
    PlannedRun,
    Record,
    RunRecord,
    StopRecord,
)
from suite.protocol import EVENTS_FILE, Event, read_events

R = TypeVar("R", bound=Record)

CAMPAIGN_FILE = "campaign.json"
RUN_FILE = "run.json"
STOP_FILE = "stop.json"
SAMPLES_FILE = "samples.parquet"
CONSOLE_FILE = "console.log"
RUNS = "runs"
UNFINISHED = "unfinished"  # runs under way
ASIDE = "aside"  # what a crash left of a run
BASELINES = "baselines"  # the idle machine before each block
STATES = "states"  # trained states that stage infer loads
PARTS = (RUNS, UNFINISHED, STATES, BASELINES)


@dataclass(frozen=True)
class Run:
    """One stored run: the host's record, the worker's events, and where the raw samples are."""

    folder: Path
    record: RunRecord
    events: tuple[Event, ...] = field(repr=False)

    @property
    def samples_path(self) -> Path:
        """Parquet: t_ns (int64), channel (string), value (float64); no file if none were kept."""
        return self.folder / SAMPLES_FILE


@dataclass(frozen=True)
class UnderWay:
    """A run that has begun and is not stored yet."""

    run_id: str
    events: tuple[Event, ...]


@dataclass(frozen=True)
class Campaign:
    folder: Path
    record: CampaignRecord
    runs: tuple[Run, ...]
    stop: StopRecord | None = None  # of an adaptive campaign that had its answers early

    @property
    def order(self) -> tuple[PlannedRun, ...]:
        """What was to be carried out: the plan's order, up to where an adaptive campaign stopped."""
        return self.record.order if self.stop is None else until(self.record.order, self.stop.blocks)


def write_record(path: Path, record: Record) -> None:
    whole_files.write_text(path, record.model_dump_json(indent=1) + "\n")


def baseline_path(campaign: Path, block: int) -> Path:
    return campaign / BASELINES / f"block-{block:04d}.parquet"


def require_new(folder: Path) -> None:
    """Raises: CampaignError if the folder exists and is not empty: nothing is ever overwritten."""
    if folder.exists() and not (folder.is_dir() and all(map(_is_a_beginning, folder.iterdir()))):
        raise CampaignError(f"{folder} exists already and is not empty; name another folder with -o")


def _is_a_beginning(path: Path) -> bool:
    """What is left where a campaign was killed before it had its record: empty parts, half a record."""
    if path.name in PARTS:
        return path.is_dir() and not any(path.iterdir())
    return path.name == whole_files.partial_of(path.with_name(CAMPAIGN_FILE)).name


def create_campaign(folder: Path, record: CampaignRecord) -> None:
    """A new campaign folder. Raises: CampaignError if it cannot be one."""
    require_new(folder)
    try:
        for part in PARTS:
            (folder / part).mkdir(parents=True, exist_ok=True)
        write_record(folder / CAMPAIGN_FILE, record)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise CampaignError(f"cannot write the campaign to {folder}: {error.strerror}") from error


def store_run(campaign: Path, folder: Path, record: RunRecord, leave_out: Sequence[str]) -> Path:
    """Completes a run folder that lies apart, then renames it into place: readers see whole runs only."""
    for name in leave_out:
        (folder / name).unlink(missing_ok=True)
    write_record(folder / RUN_FILE, record)
    place = campaign / RUNS / record.planned.run_id
    folder.rename(place)
    return place


def outcomes(campaign: Path) -> dict[str, Outcome]:
    """By run id, of the whole runs on disk."""
    found = (_validated(RunRecord, path) for path in sorted((campaign / RUNS).glob(f"*/{RUN_FILE}")))
    return {record.planned.run_id: record.outcome for record in found}


def missing(campaign: Path, order: Sequence[PlannedRun]) -> list[PlannedRun]:
    """The planned runs that are not on disk."""
    done = outcomes(campaign)
    return [planned for planned in order if planned.run_id not in done]


def run_under_way(campaign: Path) -> UnderWay | None:
    """The run that has a folder apart, with its events so far; None between two runs."""
    folder = next((campaign / UNFINISHED).glob("*"), None)
    return None if folder is None else UnderWay(folder.name, tuple(read_events(folder / EVENTS_FILE)))


def set_aside_unfinished(campaign: Path) -> None:
    """Moves what a crash left of a run away, so that the run can be made anew: nothing is deleted."""
    for folder in sorted((campaign / UNFINISHED).iterdir()):
        (campaign / ASIDE).mkdir(exist_ok=True)
        names = (f"{folder.name}-{number}" for number in count(1))
        folder.rename(next(place for name in names if not (place := campaign / ASIDE / name).exists()))


def load_campaign(folder: Path) -> Campaign:
    """Reads a campaign and its whole runs, in the order in which they ran.

    Raises: CampaignError if the folder holds none, or one of another format version.
    """
    path = folder / CAMPAIGN_FILE
    if not path.is_file():
        raise CampaignError(f"{folder} is not a campaign: it has no {CAMPAIGN_FILE} (suite run writes one)")
    record = _validated(CampaignRecord, path)
    runs = [load_run(run.parent) for run in sorted((folder / RUNS).glob(f"*/{RUN_FILE}"))]
    return Campaign(folder, record, tuple(sorted(runs, key=lambda run: run.record.start_ns)), stopped(folder))


def stopped(folder: Path) -> StopRecord | None:
    path = folder / STOP_FILE
    return _validated(StopRecord, path) if path.exists() else None


def until(order: Sequence[PlannedRun], blocks: int) -> tuple[PlannedRun, ...]:
    """The order up to the end of so many blocks."""
    return tuple(planned for planned in order if planned.block <= blocks)


def load_run(folder: Path) -> Run:
    record = _validated(RunRecord, folder / RUN_FILE)
    return Run(folder, record, tuple(read_events(folder / EVENTS_FILE)))


def _validated(kind: type[R], path: Path) -> R:
    try:
        return kind.model_validate(_read_json(path))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise CampaignError(f"{path} is not valid: {where}: {first['msg']}") from error


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(path.read_text())
        version = content.get("format_version")
        if version != FORMAT_VERSION:
            raise CampaignError(f"{path} has format {version}; this version of suite reads {FORMAT_VERSION}")
    except (ValueError, AttributeError, OSError) as error:
        raise CampaignError(f"{path} cannot be read: {error}") from error
    return content
