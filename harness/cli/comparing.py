"""What `suite compare` and `suite gate` share: which ratios are asked for, and how they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd

from harness import store
from harness.analysis import independent, parity, same_measurement
from harness.analysis.gating import Side
from harness.analysis.groups import TREATMENT, treatments_of
from harness.analysis.narrowing import Narrowing
from harness.analysis.quantities import named
from harness.analysis.reference import fitting
from harness.analysis.replicates import NODE, SESSION
from harness.analysis.summary import Analysis, analyse
from harness.cli.costs_beside import with_costs
from harness.errors import UsageError
from harness.exports import anonymous
from harness.store import Campaign

NO_COMMON_WORK = "the campaigns have no work in common that counts: the same data sets and settings"
ONE_TREATMENT = "nothing to compare: the campaign holds one treatment of each work; name a second campaign"
OTHER_CANDIDATE = "--candidate {} is not what -f names: leave one of them out"
NOTHING_ASKED = "no ratio is of what -w, -f and -s name; a framework is never held against itself"
COLUMNS = [
    "workload", "dataset", "stage", "device", "settings", TREATMENT, "reference", "quantity", "ratio", "low", "high",
    "verdict", "margin", "blocks", "over", "errors", "family", "method", "freedom", "scatter", "measured", "flip_low",
    "flip_high", "without_low", "without_high", "rests_on", "may_be_cheapest", "ratio_reason",
    "provenance",
]  # fmt: skip


@dataclass(frozen=True)
class Compared:
    """`rows`: COLUMNS. `old` is empty where one campaign's treatments are held against each other."""

    rows: pd.DataFrame
    new: Sequence[Side]
    old: Sequence[Side] = ()
    pairs: Mapping[str, str] = field(default_factory=dict)
    narrowing: Narrowing = field(default_factory=Narrowing)

    @property
    def campaigns(self) -> list[Campaign]:
        return [side.campaign for side in (*self.new, *self.old)]


def some(**asked: Any) -> Compared:
    """With one row a ratio that is judged; of one campaign, or of OTHER's treatments against those of FOLDER.

    Raises: UsageError as `compared`, and where nothing is to be compared.
    """
    found = compared(**asked)
    if found.rows.empty:
        raise UsageError(NO_COMMON_WORK if found.old else ONE_TREATMENT)
    return found


def compared(
    folder: Path,
    other: Path | None,
    reference: str | None,
    candidate: str | None,
    margin: float | None,
    across_machines: bool,
    old_sessions: Sequence[Path] = (),
    new_sessions: Sequence[Path] = (),
    errors: str | None = None,
    workloads: Sequence[str] = (),
    stages: Sequence[str] = (),
    frameworks: Sequence[str] = (),
) -> Compared:
    """Raises: UsageError for names that fit nothing, and for machines that differ, unless the user insists."""
    narrowing = Narrowing(workloads, stages, frameworks)
    found = _all_compared(
        folder, other, reference, candidate, margin, across_machines, old_sessions, new_sessions, errors
    )
    narrowing.require(one for side in found.campaigns for one in side.record.plan.treatments)
    kept = asked_for(found.rows, narrowing, candidate)
    return replace(found, rows=with_costs(kept, found.new, found.old or found.new), narrowing=narrowing)


def asked_for(rows: pd.DataFrame, narrowing: Narrowing, candidate: str | None = None) -> pd.DataFrame:
    """Raises: UsageError where there are ratios and none of them is, with the option that leaves none."""
    kept = narrowing.rows(rows)
    if kept.empty and len(rows):
        none_of_it = candidate and Narrowing(frameworks=narrowing.frameworks).rows(rows).empty
        raise UsageError(OTHER_CANDIDATE.format(candidate) if none_of_it else NOTHING_ASKED)
    return kept


def _all_compared(
    folder: Path,
    other: Path | None,
    reference: str | None,
    candidate: str | None,
    margin: float | None,
    across_machines: bool,
    old_sessions: Sequence[Path],
    new_sessions: Sequence[Path],
    errors: str | None,
) -> Compared:
    before = store.load_campaign(folder)
    if other is None:
        if old_sessions or new_sessions:
            raise UsageError("--old-session and --new-session are of two sides: name OTHER, too")
        side = Side(before, analyse(before, reference, margin, errors))
        return Compared(_within(side.analysis, candidate), (side,))
    if errors is not None:
        raise UsageError("--errors is of one campaign: between two, Bonferroni's intervals hold at once")
    new, old = (
        [store.load_campaign(one) for one in (first, *more)]
        for first, more in ((other, new_sessions), (folder, old_sessions))
    )
    require_each_once([*new, *old])
    if not across_machines:
        for one in (*new, *old[1:]):
            require_same_machine(one, before)
    return _between(new, old, reference, candidate, margin)


def between(
    new: Campaign | Sequence[Campaign],
    old: Campaign | Sequence[Campaign],
    reference: str | None = None,
    candidate: str | None = None,
    margin: float | None = None,
) -> pd.DataFrame:
    """COLUMNS of the treatments of `new` against those of `old`, each one campaign or several sessions.

    Raises: UsageError for names that fit nothing.
    """
    ours, theirs = ([one] if isinstance(one, Campaign) else list(one) for one in (new, old))
    rows = _between(ours, theirs, reference, candidate, margin).rows
    if rows.empty:
        raise UsageError(NO_COMMON_WORK)
    return rows


def _between(
    new: Sequence[Campaign],
    old: Sequence[Campaign],
    reference: str | None,
    candidate: str | None,
    margin: float | None,
) -> Compared:
    after, before = ([Side(one, analyse(one, None, margin)) for one in side] for side in (new, old))
    names = [_in_all(one.analysis for one in side) for side in (after, before)]
    pairs = _pairs(names[0], names[1], candidate, reference)
    common = _common(after, before, pairs)
    ours, theirs = ([each for one in side for each in _sessions(one.analysis)] for side in (after, before))
    rows = independent.between(ours, theirs, pairs, common, after[0].analysis.margin)
    return Compared(rows.reindex(columns=COLUMNS), after, before, pairs)


def _sessions(analysis: Analysis) -> list[independent.Session]:
    """One campaign; of a merged one each node, or each session of a single machine."""
    counted, controls = analysis.counted, analysis.baselines
    name = next((one for one in (NODE, SESSION) if one in counted), None)
    if name is None:
        return [independent.Session(counted, controls, analysis.doubts)]
    return [
        independent.Session(runs, controls[controls.index.isin(runs["block"])], analysis.doubts)
        for _, runs in counted.groupby(name)
    ]


def _common(after: Sequence[Side], before: Sequence[Side], pairs: Mapping[str, str]) -> independent.Common:
    ours, theirs = (
        [parity.Measured(one.campaign, frozenset(one.analysis.counted["run_id"])) for one in side]
        for side in (after, before)
    )
    both = [*ours, *theirs]
    unequal = {
        (work, name, pairs[name]): parity.unequal((work, name), (work, pairs[name]), ours, theirs)
        for work, name in ours[0].runs
        if name in pairs
        and all((work, name) in one.runs for one in ours)
        and all((work, pairs[name]) in one.runs for one in theirs)
    }
    return independent.Common(parity.unchanged(both), parity.same_control(both), unequal)


def _in_all(several: Iterable[Analysis]) -> list[str]:
    """The treatments that all sessions of a side have, in the first one's order."""
    first, *others = (treatments_of(one.groups) for one in several)
    return [name for name in first if all(name in names for names in others)]


def require_each_once(several: Sequence[Campaign]) -> None:
    """The same runs twice would be no second session."""
    for one, other in combinations(several, 2):
        if {run.record.model_dump_json() for run in one.runs} & {
            run.record.model_dump_json() for run in other.runs
        }:
            raise UsageError(f"{one.folder} and {other.folder} hold the same runs: name each campaign once")


def _within(analysis: Analysis, candidate: str | None) -> pd.DataFrame:
    rows = analysis.costs[[named(one).judged for one in analysis.costs["quantity"]]]
    rows = rows[rows[TREATMENT] != rows["reference"]]
    if candidate is not None:
        wanted = fitting(candidate, treatments_of(analysis.groups), "candidate")
        if wanted == analysis.reference.treatment:
            raise UsageError(f"{wanted} is the reference itself: name another --candidate, or --reference")
        rows = rows[rows[TREATMENT] == wanted]
    return rows.reindex(columns=COLUMNS)


def _pairs(
    new: Sequence[str], old: Sequence[str], candidate: str | None, reference: str | None
) -> Mapping[str, str]:
    if candidate is None and reference is None:
        return independent.pairs_of(new, old)
    if candidate is None:
        raise UsageError(
            "between two campaigns --reference goes with --candidate: which of OTHER is held against it; without both, "
            "every treatment is held against itself"
        )
    return {fitting(candidate, new, "candidate"): fitting(reference or candidate, old)}


def require_same_machine(new: Campaign, old: Campaign) -> None:
    """Machines are never compared unasked (rule R40)."""
    if changed := changed_machine(new, old):
        raise UsageError(
            f"{old.folder} and {new.folder} were measured on different machines ({', '.join(changed)}); "
            "--across-machines compares them all the same"
        )


def changed_machine(new: Campaign, old: Campaign) -> list[str]:
    """What differs between their machines; empty for the same one. Of an anonymous one nobody knows."""
    if any(one.record.machine.get(anonymous.MARK) for one in (new, old)):
        return ["one of them is anonymous"]
    return list(same_measurement.changed_machine(old.record, new.record.machine, new.record.channels))
