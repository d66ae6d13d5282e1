"""Which functions took the time of runs under cProfile, by the names that users know, and who called whom."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from harness.analysis import function_times
from harness.analysis.summary import Analysis
from harness.analysis.times_within import FunctionTimes, RunTimes
from harness.analysis.times_within import function_times as of_campaign
from harness.store import Campaign
from reports import call_graphs
from reports.call_graphs import NotDrawn
from reports.formats import Unit, percent
from reports.parts import Block, Cell, Column, Row, Sentence, Table, amount, whole
from reports.wording import anchor

TITLE, ORDER = "Functions by time", 36
COLUMNS = (
    Column("function", "Function", hint="its public name"),
    Column("calls", "Calls", True),
    Column("own_s", "Own time", True, hint="s"),
    Column("share", "Share", True, hint="of own time"),
    Column("cumulative_s", "With calls", True, hint="s"),
)
SECONDS = Unit()


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    runs = of_campaign(campaign)
    return {"entries": [_entry(one, number) for number, one in enumerate(runs)]} if runs else {}


def _entry(run: RunTimes[FunctionTimes], index: int) -> dict[str, Any]:
    key, title = anchor("calls", index), f"{run.name}: {run.work.title}"
    if run.times is None:
        return {
            "block": Block(key, title, (Sentence(f"Not told: {run.reason}"),)),
            "graph": None,
            "label": "",
        }
    graph, sentences = _drawn(run.times)
    block = Block(key, title, sentences, tables=(_table(run.times, title, index),))
    label = f"Call graph of {title}: each function calls those below it; the table has the costliest"
    return {"block": block, "graph": graph, "label": label}


def _drawn(times: FunctionTimes) -> tuple[Markup | None, tuple[Sentence, ...]]:
    try:
        return call_graphs.svg(times.graph), ()
    except NotDrawn as error:
        return None, (Sentence(f"Without a graph: {error}"),)


def _table(times: FunctionTimes, title: str, index: int) -> Table:
    rows = tuple(Row(function_times.place(row), _cells(row)) for _, row in times.functions.iterrows())
    left = times.graph.left_out
    remarks = (
        (f"The graph has the functions that hold most time; {left} more hold 1 % or more.",) if left else ()
    )
    caption = f"Functions over {percent(function_times.LEAST_SHARE)} of own time"
    return Table(f"calls-table-{index + 1}", caption, COLUMNS, rows, title, remarks=remarks)


def _cells(row: Any) -> tuple[Cell, ...]:
    name, place = row["api"] or row["function"], function_times.place(row)
    return (
        Cell(name, place, minor=place if place != name else ""),
        whole(row["calls"]),
        amount(row["own_s"], SECONDS),
        Cell(percent(round(row["share"], 4)), repr(float(row["share"]))),
        amount(row["cumulative_s"], SECONDS),
    )
