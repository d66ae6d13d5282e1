"""What looking at a workload's stacks needs, and what it cost, as a person reads it in a terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import pandas as pd

from harness.analysis.groups import Group, distinctions
from harness.analysis.looking_costs import NOT_MEASURED, looking_costs
from harness.analysis.quantities import named
from harness.analysis.summary import Analysis, analyse
from harness.cli import screen
from harness.profiling import spy_program
from harness.records import Profiler, Provenance
from harness.records.planned import FROM_OUTSIDE
from harness.store import Campaign
from reports.commands import command_that_tells
from reports.formats import ratio

BRACKETS = "in brackets 95 % of the ratio of geometric means, by Welch's t over logarithms"
OF_AN_ESTIMATE = (
    "estimated joules count the worker's CPU time alone: what the profiler itself took is in none of them"
)
AFTERWARDS = (
    "runs under the profiler come last: if the machine changed meanwhile, that is in these ratios, too"
)


def require(tools: Collection[Profiler]) -> None:
    """Says who will look, if any of these tools does. Raises: SpyFailed where nobody can; nothing is prepared yet."""
    for tool in FROM_OUTSIDE:
        if tool in tools:
            native = tool is Profiler.NATIVE
            spy_program.require_looks_at_own(native)
            screen.say(spy_program.words(native))


def tell(campaign: Campaign) -> None:
    """By how much runs under the profiler cost more than measured ones; of none that were measured, how to know."""
    analysis = analyse(campaign)
    found = looking_costs(analysis.runs, analysis.groups)
    if found.empty:
        return
    screen.say("")
    if (found["reason"] == NOT_MEASURED).all():
        command = command_that_tells(campaign.record)
        screen.say(f"what looking cost is not known: {NOT_MEASURED} here; this tells it: {command}")
        return
    screen.say("what looking cost, under the profiler over measured:")
    _print(found, analysis)


def _print(found: pd.DataFrame, analysis: Analysis) -> None:
    rows = [row for group, own in distinctions(analysis.groups).items() for row in _rows(found, group, own)]
    screen.print_columns({name: [row[name] for row in rows] for name in rows[0]})
    for line in _remarks(found):
        screen.say(line)


def _rows(found: pd.DataFrame, group: Group, own: str) -> Iterator[dict[str, str]]:
    for (name, tool), mine in group.select(found).groupby(["treatment", "profiler"], sort=False):
        first = mine.iloc[0]
        yield {
            "workload": group.workload,
            "stage": group.stage,
            "with": own,
            "framework": str(name),
            "under": str(tool),
            "runs": f"{first['profiled_runs']} over {first['measured_runs']}",
            **{named(row["quantity"]).words: words(row) for row in mine.to_dict("records")},
        }


def words(row: dict[Any, Any]) -> str:
    """A ratio with its interval; without one, why."""
    if pd.isna(row["ratio"]):
        return f"unknown: {row['reason']}"
    low, high = (None if pd.isna(row[name]) else float(row[name]) for name in ("low", "high"))
    return ratio(float(row["ratio"]), low, high)


def _remarks(found: pd.DataFrame) -> Iterator[str]:
    if found["low"].notna().any():
        yield BRACKETS
    known = found[found["ratio"].notna() & (found["reason"] != "")]
    yield from (f"no interval: {why}" for why in known["reason"].unique())
    estimated = found["provenance"] == str(Provenance.ESTIMATED)
    if (estimated & found["profiler"].isin(FROM_OUTSIDE)).any():
        yield OF_AN_ESTIMATE
    yield AFTERWARDS
