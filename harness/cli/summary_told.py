"""What a campaign found, as a person reads it in a terminal when it has ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import pandas as pd

from harness.analysis.compare import mixed
from harness.analysis.groups import GROUP, TREATMENT, Group, distinctions, groups_of
from harness.analysis.quantities import named
from harness.analysis.summary import analyse
from harness.analysis.tables import measured, tables
from harness.analysis.withheld import each_of, withheld
from harness.cli import screen
from harness.findings.codes import Code
from harness.records import Outcome, Purpose
from harness.store import Campaign
from reports import resolution
from reports.formats import plural

T = TypeVar("T")
UNKNOWN = "unknown"


class MeanCosts(NamedTuple):
    """What the runs of a treatment that count have cost, in words; `own` is what sets its work apart."""

    workload: str
    stage: str
    own: str
    framework: str
    version: str
    runs: int
    energy: str
    provenance: str
    time: str
    metric: str
    quality: str


def print_summary(campaign: Campaign) -> None:
    """What a run of each treatment cost, and what kept others from counting."""
    runs = tables(campaign).runs
    counted = measured(runs)
    if not counted.empty:
        _print_means(list(_means(counted, groups_of(campaign))))
        screen.say(resolution.of(campaign).words)
    lost = Counter(runs[runs["purpose"] == Purpose.MEASURE]["outcome"]) - Counter({Outcome.OK: len(counted)})
    for outcome, count in lost.items():
        screen.say(f"{plural(count, 'run')} {outcome}: see the report")
    told = [
        one for one in campaign.record.findings if one.code in (Code.NOT_VERIFIED, Code.ONE_IMPLEMENTATION)
    ]
    for finding in told:
        screen.say(finding.message)
    for line in _withheld(analyse(campaign).costs, [finding.code for finding in told]):
        screen.say(line)
    if campaign.record.plan.until:
        screen.say(_how_it_stopped(campaign))


def _withheld(costs: pd.DataFrame, told: Sequence[str]) -> Iterator[str]:
    """A line a finding that withholds verdicts, but of those that are `told`: on how many works, and why."""
    rows = withheld(costs)
    works: dict[str, set[tuple[str, ...]]] = {}
    whys: dict[str, dict[str, None]] = {}
    for *work, reason in rows[[*GROUP, "ratio_reason"]].itertuples(index=False):
        for why in each_of(reason):
            code = why.partition(": ")[0]
            works.setdefault(code, set()).add(tuple(work))
            whys.setdefault(code, {})[why] = None
    every = len(costs[costs["ratio"].notna() & (costs[TREATMENT] != costs["reference"])].groupby(GROUP))
    for code, (first, *others) in whys.items():
        if code not in told:
            more = f" (and {len(others)} more such: see the report)" if others else ""
            where = f" on {len(works[code])} of {every} works" if every > 1 else ""
            yield f"no verdict{where}: {first}{more}"


def _print_means(means: Sequence[MeanCosts]) -> None:
    """A row a treatment; what all of them have alike is said once, so that most fit into 80 cells."""
    runs = _the_only(one.runs for one in means)
    provenance = _the_only(one.provenance for one in means if one.energy != UNKNOWN)
    metric = _the_only(one.metric for one in means if one.quality != UNKNOWN)
    screen.print_columns({
        "workload": [one.workload for one in means],
        "stage": [one.stage for one in means],
        "with": [one.own for one in means],
        "framework": [one.framework for one in means],
        "version": [one.version for one in means],
        "runs": [] if runs else [str(one.runs) for one in means],
        f"J {provenance}" if provenance else "energy": [_energy(one, provenance) for one in means],
        "time": [one.time for one in means],
        metric or "quality": [_quality(one, metric) for one in means],
    })  # fmt: skip
    screen.say(f"geometric means of {plural(runs, 'run') + ' each' if runs else 'the runs that count'}")


def _means(counted: pd.DataFrame, groups: Iterable[Group]) -> Iterator[MeanCosts]:
    for group, own in distinctions(groups).items():
        for key, runs in group.select(counted).groupby(["framework", "version"]):
            framework, version = map(str, key)
            first = runs.iloc[0]
            yield MeanCosts(
                group.workload, group.stage, own, framework, version, len(runs),
                _known(None if mixed(runs) else _mean(runs, "energy_j"), ".4g"), str(first["provenance"]),
                _known(_mean(runs, "duration_s"), ".3g", " s"),
                str(first["quality_metric"]), _known(_mean(runs, "quality"), ".4f"),
            )  # fmt: skip


def _mean(runs: pd.DataFrame, quantity: str) -> float | None:
    return named(quantity).mean_of(runs[quantity])


def _energy(one: MeanCosts, told_above: str | None) -> str:
    """Never without the word that says what kind of number it is (rule R40)."""
    return one.energy if told_above or one.energy == UNKNOWN else f"{one.energy} J {one.provenance}"


def _quality(one: MeanCosts, told_above: str | None) -> str:
    return one.quality if told_above or one.quality == UNKNOWN else f"{one.metric} {one.quality}"


def _known(value: float | None, form: str, unit: str = "") -> str:
    return UNKNOWN if value is None or pd.isna(value) else f"{value:{form}}{unit}"


def _the_only(values: Iterable[T]) -> T | None:
    """The value that all have; None if they differ, or there is none."""
    found = set(values)
    return found.pop() if len(found) == 1 else None


def _most_blocks(campaign: Campaign) -> int:
    return max((run.record.planned.block for run in campaign.runs), default=0)


def _how_it_stopped(campaign: Campaign) -> str:
    most = campaign.record.plan.repetitions
    if campaign.stop is None and campaign.record.plan.turns:
        return f"works have had up to {_most_blocks(campaign)} of at most {most} blocks, by turns"
    if campaign.stop is None:
        return f"all {most} blocks were used; what is still inconclusive stands in the report"
    return f"stopped after {campaign.stop.blocks} of at most {most} blocks: every ratio is known"
