"""The campaigns that are to be merged: each as one machine measured it, also those within a merged or a cluster's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from harness import store
from harness.as_planned import require_as_planned, require_own
from harness.conformance.kept_proofs import Proof
from harness.conformance.kept_proofs import of_campaign as proofs_in
from harness.errors import UsageError
from harness.exports import anonymous
from harness.exports.bundle import SUMS_FILE, names_of
from harness.files.record_files import read_record
from harness.files.untrusted import printable, read_beneath
from harness.merging import nodes_of_a_cluster
from harness.merging.profiles import baselines_of_profiles, without_profiles
from harness.records import IMPORTED, CampaignRecord, Purpose, RunRecord, SourceRecord
from harness.records.source import by_block, name_of_run, number_in, of_one_plan

KEPT = (store.CAMPAIGN_FILE, "conformance.json", "calibration.json")  # beside the runs and baselines
MOST_SUMS_BYTES = 256 << 20
Stamp = tuple[str, str, int, int]


@dataclass(frozen=True)
class Mergeable:
    """One campaign, as it was measured.

    `files`: its own name of each ("runs/0001-x/run.json") -> the name below `folder`; `sums`: by own name, where an
    earlier merge has noted what each file had. Of a node of a cluster, `node` is what it did there; `identity`: which
    machine it was, where its id does not tell (told_apart).
    """

    folder: Path
    name: str
    record: CampaignRecord
    runs: tuple[RunRecord, ...]
    files: Mapping[str, str]
    sums: Mapping[str, str]
    proofs: tuple[Proof, ...]
    node: SourceRecord | None = None
    identity: str = ""

    @property
    def machine_id(self) -> str:
        return self.identity or str(self.record.machine["machine_id"])

    @cached_property
    def stamps(self) -> frozenset[Stamp]:
        """What makes each run the one it is, wherever its file lies and however it is spelled."""
        return frozenset((r.planned.run_id, r.started, r.start_ns, r.exit_ns) for r in self.runs)

    @property
    def blocks(self) -> int:
        if self.node:
            return len(self.node.numbered)
        return max(self.record.plan.repetitions, *(one.block for one in self.record.order))


def read(folder: Path) -> Iterator[Mergeable]:
    """One, or of a merged campaign each that went into it.

    Raises: UsageError for one that cannot be merged; CampaignError and UnsafeFile for one that cannot be read.
    """
    store.require_campaign(folder)
    record = read_record(CampaignRecord, folder, store.CAMPAIGN_FILE)
    files = dict.fromkeys(names_of(folder))
    if not record.sources:
        yield _mergeable(_alone(folder, record, files))
    if of_one_plan(record.sources):
        yield from map(_mergeable, _nodes(folder, record, files))
        return
    names = [one.name for one in store.run_folders(folder)]
    for number, source in enumerate(record.sources, 1):
        yield _mergeable(
            _within(
                folder, number, source, files, {n for n in names if number_in(n, record.sources) == number}
            )
        )


def told_apart(found: Sequence[Mergeable]) -> list[Mergeable]:
    """Where several nodes of a cluster have one id, as copies of one disk, the scheduler's word says which it was.

    Of all that is merged together: a campaign that used one of them alone has had no other to be told apart from.
    """
    nodes = {(one.machine_id, one.node.node_name) for one in found if one.node}
    names = Counter(machine_id for machine_id, _ in nodes)
    return [
        replace(one, identity=f"{one.machine_id} {one.node.node_name}")
        if one.node and names[one.machine_id] > 1
        else one
        for one in found
    ]


def _alone(folder: Path, record: CampaignRecord, files: Mapping[str, None]) -> Mergeable:
    runs = {one.name: store.stored_record(one) for one in store.run_folders(folder)}
    require_as_planned(folder, record.order, (run.planned for run in runs.values()))
    require_own(folder, ((run, record.identity) for run in runs.values()))
    kept = {name: run for name, run in runs.items() if run.planned.purpose != Purpose.PROFILE}
    others = baselines_of_profiles(record)
    own = {
        name: name
        for name in files
        if name in KEPT or _of(name, kept) or (_is_baseline(name) and name not in others)
    }
    measured = without_profiles(record)
    return Mergeable(folder, str(folder), measured, tuple(kept.values()), own, {}, proofs_in(folder))


def _nodes(folder: Path, whole: CampaignRecord, files: Mapping[str, None]) -> Iterator[Mergeable]:
    """What each node of a cluster did in one session. Raises: UsageError for a run that is of none."""
    stored = {one.name: store.stored_record(one) for one in store.run_folders(folder)}
    require_as_planned(folder, whole.order, (run.planned for run in stored.values()))
    require_own(folder, ((run, whole.identity) for run in stored.values()))
    whose = by_block(whole.sources)
    if strange := next((name for name, run in stored.items() if run.planned.block not in whose), None):
        raise UsageError(
            f"{folder} cannot be merged: of run {printable(strange)} it does not tell which node made it"
        )
    for number, source in enumerate(whole.sources, 1):
        runs = {name: run for name, run in stored.items() if whose[run.planned.block] == number}
        node = nodes_of_a_cluster.merged(source)
        baselines = baseline_names(node)
        own = {name: name for name in files if name in KEPT or _of(name, runs) or name in baselines}
        called = f"{folder} ({source.node_name or 'a node'}, session {source.session})"
        record = nodes_of_a_cluster.record_of(whole, source)
        yield Mergeable(
            folder,
            called,
            record,
            tuple(runs.values()),
            own,
            {},
            proofs_in(folder),
            node,
        )


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
    whole = read_record(CampaignRecord, beside, store.CAMPAIGN_FILE)
    record = without_profiles(whole)
    node = None
    if source.own_blocks:
        record, node = _node_again(record, source)
    own = {name: f"{store.SOURCES}/{number}/{name}" for name in KEPT if (beside / name).exists()}
    for name in (one for one in files if _of(one, names)):
        own[name.replace(name_of_run(number, ""), "", 1)] = name
    own |= {name: there for name, there in baseline_names(source).items() if there in files}
    runs = tuple(store.stored_record(folder / store.RUNS / name) for name in names)
    require_as_planned(folder, whole.order, (run.planned for run in runs), renumbered=True)
    require_own(folder, ((run, whole.identity) for run in runs))
    proofs = proofs_in(beside)
    return Mergeable(folder, f"{folder} (source {number})", record, runs, own, _sums(beside), proofs, node)


def _node_again(whole: CampaignRecord, source: SourceRecord) -> tuple[CampaignRecord, SourceRecord]:
    """Of a cluster's campaign that was merged. Raises: UsageError where its record is not that of the merge."""
    for one in whole.sources:
        if one.taken == source.own_blocks:
            return nodes_of_a_cluster.record_of(whole, one), nodes_of_a_cluster.merged(one)
    raise UsageError(f"{printable(whole.campaign_id)} was merged with blocks that none of its nodes has")


def baseline_names(source: SourceRecord) -> dict[str, str]:
    """A source's own name of the baseline before each block -> that in the merged campaign."""
    return {
        str(store.baseline_path(Path(), own)): str(store.baseline_path(Path(), place + source.after))
        for place, own in enumerate(source.numbered, 1)
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
