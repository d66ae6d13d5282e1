"""What looking at stacks cost: the runs under the profiler against the measured ones of the same campaign."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from harness.analysis.groups import TREATMENT, Group
from harness.analysis.looking_costs import NOT_MEASURED, looking_costs
from harness.analysis.quantities import named
from harness.analysis.summary import Analysis
from harness.records import Profiler, Provenance
from harness.records.planned import FROM_OUTSIDE
from harness.store import Campaign
from reports.commands import command_that_tells
from reports.formats import DASH, THIN, known, ratio
from reports.parts import Cell, Column, Row, Table
from reports.wording import badge_of_all

TITLE, ORDER = "What looking cost", 52
BRACKETS = (
    f"In brackets 95{THIN}% of the ratio of geometric means, by Welch's t over the logarithms of the runs."
)
COME_LAST = (
    "Runs under the profiler come after all measured ones, so that nothing of them reaches those: if the machine "
    "changed meanwhile, that is in these ratios, too."
)
OF_AN_ESTIMATE = (
    "Estimated joules count the worker's CPU time alone: what the profiler itself took is in none of them."
)


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    found = looking_costs(analysis.runs, analysis.groups)
    if found.empty:
        return {}
    command = command_that_tells(campaign.record) if (found["reason"] == NOT_MEASURED).all() else ""
    return {"table": _table(found, analysis), "command": command}


def _table(found: pd.DataFrame, analysis: Analysis) -> Table:
    provenance = badge_of_all(found)
    quantities = [named(name) for name in found["quantity"].unique()]
    columns = (
        Column("treatment", "Framework"),
        Column("profiler", "Profiler"),
        Column("profiled", "Profiled runs", True),
        Column("measured", "Measured runs", True),
        *(Column(one.name, one.title, True, one.badge(provenance)) for one in quantities),
    )
    rows = [row for group in analysis.groups for row in _rows(found, group)]
    remarks = tuple(_remarks(found, provenance))
    caption = "Under the profiler, over measured"
    return Table("looking", caption, columns, tuple(rows), detail="1× is no difference", remarks=remarks)


def _remarks(found: pd.DataFrame, provenance: str) -> Iterator[str]:
    if found["low"].notna().any():
        yield BRACKETS
    yield COME_LAST
    if provenance == str(Provenance.ESTIMATED) and found["profiler"].isin(FROM_OUTSIDE).any():
        yield OF_AN_ESTIMATE


def _rows(found: pd.DataFrame, group: Group) -> list[Row]:
    mine = group.select(found)
    several = mine.groupby([TREATMENT, "profiler"], sort=False)
    return [_row(group, str(name), str(tool), rows) for (name, tool), rows in several]


def _row(group: Group, name: str, tool: str, rows: pd.DataFrame) -> Row:
    counts = (str(rows[kind].iloc[0]) for kind in ("profiled_runs", "measured_runs"))
    cells = (_cell(row) for row in rows.to_dict("records"))
    first = Cell(name, minor=group.title)
    key = f"{name} {group.title}" if tool == Profiler.PY_SPY else f"{name} {group.title} {tool}"
    return Row(key, (first, Cell(tool), *(Cell(one, one) for one in counts), *cells))


def _cell(row: dict[Any, Any]) -> Cell:
    if (value := known(row["ratio"])) is None:
        return Cell(DASH, note=row["reason"])
    words = ratio(value, known(row["low"]), known(row["high"]))
    return Cell(words, repr(value), note=row["reason"])
