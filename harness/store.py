"""Campaigns on disk: formats and versions. Reads and writes; computes nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count, islice
from pathlib import Path
from types import MappingProxyType

from harness.as_planned import require_as_planned, require_nothing_of_a_profiler, require_own
from harness.errors import ANEW, CampaignError, SuiteError, UnsafeFile
from harness.files import whole_files
from harness.files.record_files import REMEDY, read_record
from harness.files.untrusted import open_beneath
from harness.records import (
    IMPORTED,
    CampaignRecord,
    Outcome,
    PlannedRun,
    Purpose,
    Record,
    RunRecord,
    SourceRecord,
    StopRecord,
)
from harness.records.planned import Work
from harness.records.source import by_block, number_in
from harness.suggest import hint
from harness.worker import events
from harness.worker.judged import with_judged
from suite.protocol import Event

CAMPAIGN_FILE = "campaign.json"
RUN_FILE = "run.json"
STOP_FILE = "stop.json"
LOCK_FILE = ".lock"
SAMPLES_FILE = "samples.parquet"
ANSWERS_FILE = "answers.npz"  # of evaluations that the host judged
CONSOLE_FILE = "console.log"
RUNS = "runs"
UNFINISHED = "unfinished"  # runs under way
ASIDE = "aside"  # what a crash left of a run
BASELINES = "baselines"  # the idle machine before each block
WITHOUT_RUN = (
    "cut short or altered; take it from a copy, or remove the run's folder, and suite run --resume "
    "measures it anew"
)
STATES = "states"  # trained states that stage infer loads
SOURCES = "sources"  # of a merged campaign: the records of those that went into it
PARTS = (RUNS, UNFINISHED, STATES, BASELINES)
MOST_BESIDE = 10_000  # that are looked through for a name like one that is not there
MOST_RUNS = 200_000  # that are read: a plan's limit twice over


@dataclass(frozen=True)
class Run:
    """One stored run: the host's record, the worker's events with what the host judged, where the raw samples are.

    `source`: the number of the campaign from which it was merged, 0 of one that is not merged.
    """

    folder: Path
    record: RunRecord
    events: tuple[Event, ...] = field(repr=False)
    source: int = 0

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
        """What was to be carried out: the plan's order, up to where an adaptive campaign stopped.

        By turns, a first block of everything, and what was begun after that.
        """
        if self.record.plan.turns:
            return _by_turns(self.record.order, self.runs)
        return self.record.order if self.stop is None else until(self.record.order, self.stop.blocks)

    @property
    def unprofiled(self) -> tuple[Run, ...]:
        """The stored runs but those under a profiler, which say nothing of any other."""
        return tuple(one for one in self.runs if one.record.planned.purpose != Purpose.PROFILE)


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
        return path.is_dir() and not path.is_symlink() and not any(path.iterdir())
    return path.name == LOCK_FILE or whole_files.is_partial_of(path, path.with_name(CAMPAIGN_FILE))


def make_folder(folder: Path) -> None:
    """For a new campaign, which is begun once its lock is held. Raises: CampaignError if it cannot be one."""
    require_new(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CampaignError(f"cannot write the campaign to {folder}: {error.strerror}") from error


def require_own_parts(campaign: Path) -> None:
    """Before anything of a campaign is moved or written. Raises: UnsafeFile where a part is a link or no folder."""
    for part in (campaign / name for name in (*PARTS, ASIDE)):
        if part.is_symlink() or (part.exists() and not part.is_dir()):
            raise UnsafeFile(f"{part} is not written to: it is no folder of the campaign's own")


def create_campaign(
    folder: Path, record: CampaignRecord, weights: Callable[[Path], Mapping[str, str]] = lambda states: {}
) -> None:
    """What every campaign folder has; by the holder of its lock. `weights` writes states to begin with, and sums them.

    Raises: CampaignError if it cannot be written, and what `weights` raises; nothing of it is left then.
    """
    require_new(folder)
    try:
        for part in PARTS:
            (folder / part).mkdir(parents=True, exist_ok=True)
        summed = dict(weights(folder / STATES))
        write_record(folder / CAMPAIGN_FILE, record.model_copy(update={"weights": summed}))
    except SuiteError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise CampaignError(f"cannot write the campaign to {folder}: {error.strerror}") from error


def store_run(campaign: Path, folder: Path, record: RunRecord) -> Path:
    """Completes a run folder that lies apart, then renames it into place: readers see whole runs only.

    The record comes last, once the disk has all that it speaks of.
    """
    whole_files.settle(folder)
    write_record(folder / RUN_FILE, record)
    place = campaign / RUNS / record.planned.run_id
    folder.rename(place)
    return place


def outcomes(campaign: Path) -> dict[str, Outcome]:
    """By run id, of the whole runs on disk."""
    return {folder.name: _own(folder, stored_record(folder)).outcome for folder in run_folders(campaign)}


def missing(campaign: Path, order: Sequence[PlannedRun]) -> list[PlannedRun]:
    """The planned runs that are not on disk."""
    done = outcomes(campaign)
    return [planned for planned in order if planned.run_id not in done]


def run_under_way(campaign: Path) -> UnderWay | None:
    """The run that has a folder apart, with its events so far; None between two runs."""
    folder = next((campaign / UNFINISHED).glob("*"), None)
    return None if folder is None else UnderWay(folder.name, tuple(events.stored(folder)))


def set_aside_unfinished(campaign: Path) -> None:
    """Moves what a crash left of a run away, so that the run can be made anew: nothing is deleted."""
    for folder in sorted((campaign / UNFINISHED).iterdir()):
        (campaign / ASIDE).mkdir(exist_ok=True)
        names = (f"{folder.name}-{number}" for number in count(1))
        folder.rename(next(place for name in names if not (place := campaign / ASIDE / name).exists()))


def load_campaign(folder: Path, known: Mapping[str, Run] = MappingProxyType({})) -> Campaign:
    """Reads a campaign and its whole runs, in the order in which they ran; `known` runs, by folder, are not read again.

    Raises: CampaignError if the folder holds none, one of another format version or a damaged one; UnsafeFile for
    one whose files are links.
    """
    require_campaign(folder)
    record = read_record(CampaignRecord, folder, CAMPAIGN_FILE)
    taken = by_block(record.sources)
    merged = () if taken else record.sources
    runs = [known.get(run.name) or load_run(run, merged) for run in run_folders(folder)]
    if taken:
        runs = [replace(run, source=taken.get(run.record.planned.block, 0)) for run in runs]
    require_as_planned(folder, record.order, (run.record.planned for run in runs), bool(record.sources))
    made_by = {number: one.identity for number, one in enumerate(merged, 1)}
    require_own(folder, ((run.record, made_by.get(run.source, record.identity)) for run in runs))
    return Campaign(folder, record, tuple(sorted(runs, key=_when)), stopped(folder))


def require_campaign(folder: Path) -> None:
    """Raises: CampaignError for what is not there, is no folder, or holds none: each in its own words."""
    if not folder.exists():
        raise CampaignError(f"{folder} does not exist{_near(folder)} (suite run writes campaigns)")
    if not folder.is_dir():
        raise CampaignError(
            f"{folder} is a file, and no campaign's folder (of a bundle: suite report {folder})"
        )
    if not os.path.lexists(folder / CAMPAIGN_FILE):
        raise CampaignError(f"{folder} is not a campaign: it has no {CAMPAIGN_FILE} (suite run writes one)")


def _near(folder: Path) -> str:
    """A campaign beside what is not there, of a name like it."""
    with suppress(OSError):
        beside = [
            one for one in islice(folder.parent.iterdir(), MOST_BESIDE) if (one / CAMPAIGN_FILE).is_file()
        ]
        return hint(str(folder), sorted(map(str, beside)))
    return ""


def _when(run: Run) -> tuple[int, int]:
    """Each machine has a clock of its own: one source's runs before the next one's."""
    return run.source, run.record.start_ns


def run_folders(campaign: Path) -> list[Path]:
    """The folders of the whole runs, by name. Raises: UnsafeFile where they are linked, CampaignError for too many."""
    place = campaign / RUNS
    try:
        if place.is_symlink():
            raise UnsafeFile(f"{place} is not read: it is a link")
        found = sorted(islice(place.iterdir(), MOST_RUNS + 1)) if place.exists() else []
    except OSError as error:
        raise CampaignError(f"{place} cannot be read: {error.strerror}") from error
    if len(found) > MOST_RUNS:
        raise CampaignError(f"{place} holds more than the {MOST_RUNS} runs that are read")
    return [folder for folder in found if os.path.lexists(folder / RUN_FILE)]


def stopped(folder: Path) -> StopRecord | None:
    return read_record(StopRecord, folder, STOP_FILE) if os.path.lexists(folder / STOP_FILE) else None


def until(order: Sequence[PlannedRun], blocks: int) -> tuple[PlannedRun, ...]:
    """The order up to the end of so many blocks, and what comes after all blocks whatever they showed."""
    return tuple(one for one in order if one.block <= blocks or one.purpose == Purpose.PROFILE)


def _by_turns(order: Sequence[PlannedRun], runs: Sequence[Run]) -> tuple[PlannedRun, ...]:
    """A work has so many blocks as have begun, and a control run each that any work has."""
    blocks: dict[Work, int] = {}
    for one in (run.record.planned for run in runs if run.record.planned.purpose == Purpose.MEASURE):
        blocks[one.treatment.work] = max(one.block, blocks.get(one.treatment.work, 1))
    most = max(blocks.values(), default=1)
    return tuple(
        one
        for one in order
        if one.purpose == Purpose.PROFILE
        or one.block <= (blocks.get(one.treatment.work, 1) if one.purpose == Purpose.MEASURE else most)
    )


def load_run(folder: Path, sources: Sequence[SourceRecord] = ()) -> Run:
    """Of a campaign that was merged from `sources`, at its place in it: its file names that of its own campaign."""
    number, record = number_in(folder.name, sources), stored_record(folder)
    if number:
        placed = sources[number - 1].placed(number, record.planned)
        record = record.model_copy(update={"planned": placed})
    return Run(
        folder, _own(folder, record), tuple(with_judged(_all_told(folder, record), record.judged)), number
    )


def _all_told(folder: Path, record: RunRecord) -> list[Event]:
    """Of a run whose end the host saw, to that end. A killed one's file may end anywhere: its record has no end."""
    imported = record.isolation == IMPORTED
    remedy = REMEDY if imported else WITHOUT_RUN  # no command of ours measures another tool's run
    try:
        told = events.stored(folder)
    except CampaignError as error:
        raise CampaignError(f"{error}: {remedy}") from error
    if record.done_ns is not None and (wrong := _wrong_end(folder, told, imported)):
        raise CampaignError(f"{folder / events.EVENTS_FILE} is damaged: {wrong}: {remedy}")
    return told


def _wrong_end(folder: Path, told: Sequence[Event], imported: bool) -> str:
    """Empty where the file has its end, or was taken away as a whole, which the run's findings tell."""
    try:
        descriptor = open_beneath(folder, events.EVENTS_FILE)
    except FileNotFoundError:
        return ""
    with os.fdopen(descriptor, "rb") as file:
        file.seek(max(0, os.fstat(descriptor).st_size - 1))
        if file.read() not in (b"", b"\n"):
            return "it ends within a line"
    # other tools' runs need not tell that they are done
    return "" if imported or any(one.kind == "done" for one in told) else "it ends before the run did"


def stored_record(folder: Path) -> RunRecord:
    """Of a run, as it lies there. Raises: CampaignError for one that a profiler left something of, and denies it."""
    record = read_record(RunRecord, folder.parent, f"{folder.name}/{RUN_FILE}")
    require_nothing_of_a_profiler(folder, record.planned)
    return record


def _own(folder: Path, record: RunRecord) -> RunRecord:
    """Of a run that lies under its own name: no other run's folder stands in for it."""
    if record.planned.run_id != folder.name:
        raise CampaignError(f"{folder} holds another run: {record.planned.run_id}; {ANEW}")
    return record
