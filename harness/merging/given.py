"""The campaigns that are to be merged: each as one machine measured it, also those within a merged one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from harness import store
from harness.conformance.kept_proofs import Proof
from harness.conformance.kept_proofs import of_campaign as proofs_in
from harness.errors import UsageError
from harness.exports import anonymous
from harness.exports.bundle import SUMS_FILE, names_of
from harness.files.record_files import read_record
from harness.files.untrusted import read_beneath
from harness.merging.profiles import baselines_of_profiles, without_profiles
from harness.records import IMPORTED, CampaignRecord, Purpose, RunRecord, SourceRecord
from harness.records.source import name_of_run, number_in, of_one_plan

KEPT = (store.CAMPAIGN_FILE, "conformance.json", "calibration.json")  # beside the runs and baselines
MOST_SUMS_BYTES = 256 << 20
Stamp = tuple[str, str, int, int]


@dataclass(frozen=True)
class Mergeable:
    """One campaign, as it was measured.

    `files`: its own name of each ("runs/0001-x/run.json") -> the name below `folder`; `sums`: by own name, where an
    earlier merge has noted what each file had.
    """

    folder: Path
    name: str
    record: CampaignRecord
    runs: tuple[RunRecord, ...]
    files: Mapping[str, str]
    sums: Mapping[str, str]
    proofs: tuple[Proof, ...]

    @property
    def machine_id(self) -> str:
        return str(self.record.machine["machine_id"])

    @cached_property
    def stamps(self) -> frozenset[Stamp]:
        """What makes each run the one it is, wherever its file lies and however it is spelled."""
        return frozenset((r.planned.run_id, r.started, r.start_ns, r.exit_ns) for r in self.runs)

    @property
    def blocks(self) -> int:
        return max(self.record.plan.repetitions, *(one.block for one in self.record.order))


def read(folder: Path) -> Iterator[Mergeable]:
    """One, or of a merged campaign each that went into it.

    Raises: UsageError for one that cannot be merged; CampaignError and UnsafeFile for one that cannot be read.
    """
    store.require_campaign(folder)
    record = read_record(CampaignRecord, folder, store.CAMPAIGN_FILE)
    if of_one_plan(record.sources):
        raise UsageError(
            f"{folder} cannot be merged: a cluster carried it out as one plan; measure with more blocks instead"
        )
    files = dict.fromkeys(names_of(folder))
    if not record.sources:
        yield _mergeable(_alone(folder, record, files))
    names = [one.name for one in store.run_folders(folder)]
    for number, source in enumerate(record.sources, 1):
        yield _mergeable(
            _within(
                folder, number, source, files, {n for n in names if number_in(n, record.sources) == number}
            )
        )


def _alone(folder: Path, record: CampaignRecord, files: Mapping[str, None]) -> Mergeable:
    runs = {one.name: store.stored_record(one) for one in store.run_folders(folder)}
    kept = {name: run for name, run in runs.items() if run.planned.purpose != Purpose.PROFILE}
    others = baselines_of_profiles(record)
    own = {
        name: name
        for name in files
        if name in KEPT or _of(name, kept) or (_is_baseline(name) and name not in others)
    }
    measured = without_profiles(record)
    return Mergeable(folder, str(folder), measured, tuple(kept.values()), own, {}, proofs_in(folder))


def _of(name: str, runs: Collection[str]) -> bool:
    parts = PurePosixPath(name).parts
    return len(parts) > 2 and parts[0] == store.RUNS and parts[1] in runs


def _is_baseline(name: str) -> bool:
    return PurePosixPath(name).parts[0] == store.BASELINES


def _within(
    folder: Path, number: int, source: SourceRecord, files: Mapping[str, None], names: Collection[str]
) -> Mergeable:
    """What went into a merged campaign, under its own names again."""
    beside = folder / store.SOURCES / str(number)
    record = without_profiles(read_record(CampaignRecord, beside, store.CAMPAIGN_FILE))
    own = {name: f"{store.SOURCES}/{number}/{name}" for name in KEPT if (beside / name).exists()}
    for name in (one for one in files if _of(one, names)):
        own[name.replace(name_of_run(number, ""), "", 1)] = name
    own |= {name: there for name, there in baseline_names(source).items() if there in files}
    runs = tuple(store.stored_record(folder / store.RUNS / name) for name in names)
    proofs = proofs_in(beside)
    return Mergeable(folder, f"{folder} (source {number})", record, runs, own, _sums(beside), proofs)


def baseline_names(source: SourceRecord) -> dict[str, str]:
    """A source's own name of the baseline before each block -> that in the merged campaign."""
    numbers = range(1, source.blocks + 1)
    return {
        str(store.baseline_path(Path(), one)): str(store.baseline_path(Path(), one + source.after))
        for one in numbers
    }


def _sums(beside: Path) -> dict[str, str]:
    text = read_beneath(beside, SUMS_FILE, MOST_SUMS_BYTES).decode(errors="replace")
    return {name: digest for digest, _, name in (line.partition("  ") for line in text.splitlines())}


def _mergeable(one: Mergeable) -> Mergeable:
    """Raises: UsageError for what is no stretch of a known machine's runs with a fixed number of blocks."""
    if why := _why_not(one.record, one.runs):
        raise UsageError(f"{one.name} cannot be merged: {why}")
    return one


def _why_not(record: CampaignRecord, runs: Sequence[RunRecord]) -> str:
    if record.isolation == IMPORTED:
        return "it was imported; give all of its files to one suite import instead"
    if record.plan.until is not None:
        return "it looked at its ratios to know when to stop, which is an error rate of its own; compare it alone"
    if not any(one.purpose == Purpose.MEASURE for one in record.order):
        return "it was profiled, which is never measured"
    if record.machine.get(anonymous.MARK):
        return (
            "it is anonymous, and nobody knows which machine it ran on; merge first, then export --anonymous"
        )
    if not record.machine.get("machine_id"):
        return "it does not tell which machine it ran on (a machine needs /etc/machine-id before it measures)"
    return "" if runs else "it has no run"
