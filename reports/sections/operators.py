"""The frameworks' own operators, by what each computes, so that the same one stands side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from harness.analysis.groups import Group
from harness.analysis.summary import Analysis
from harness.analysis.times_within import OperatorTimes, RunTimes, by_work, operator_times
from harness.store import Campaign
from reports import operator_balance
from reports.formats import DASH, THIN, Unit, known, number, percent, quantity, unit_for
from reports.parts import Block, Cell, Column, Row, Sentence, Table, amount, whole
from reports.wording import anchor

TITLE, ORDER = "Operators", 38
LEAST_SHARE = 0.01
UNITS = {"bytes": "bytes", "flops": "FLOP"}
BESIDE = {"joules": "J", **UNITS}
UNTOLD = "its profiler does not tell"
UNTOLD_JOULES = "Joules of operators are not told"
NONE = "none of it was seen: it is not there, or part of another"

Runs = Sequence[RunTimes[OperatorTimes]]


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    runs = operator_times(campaign)
    blocks = [_block(work, some, number) for number, (work, some) in enumerate(by_work(runs).items())]
    return {"blocks": blocks} if blocks else {}


def _block(work: Group, runs: Runs, index: int) -> Block:
    told = [one for one in runs if one.times is not None]
    sentences = tuple(Sentence(f"{one.name} is not told: {one.reason}") for one in runs if one.times is None)
    key = f"operators-table-{index + 1}"
    beside = (_side_by_side(told, key, work.title),) if len(told) > 1 else ()
    alone = (
        table for place, one in enumerate(told, 1) for table in _of_run(one, f"{key}-{place}", work.title)
    )
    return Block(anchor("operators", index), work.title, sentences, tables=(*beside, *alone))


def _of_run(run: RunTimes[OperatorTimes], key: str, title: str) -> Iterator[Table]:
    assert run.times is not None
    yield _own(run.name, run.times, key, title)
    if run.times.joules:
        yield operator_balance.of_run(run.times.joules, f"{key}-balance", f"{title}: {run.name}")


def _side_by_side(runs: Runs, key: str, title: str) -> Table:
    """A row for each operator, a column for each framework: its share, seconds and calls."""
    frames = [one.times.by_operator.set_index("operator") for one in runs if one.times]
    most = pd.concat([one["share"] for one in frames], axis=1).max(axis=1)
    shown = most[most >= LEAST_SHARE].sort_values(ascending=False, kind="stable").index
    found: list[dict[Any, dict[Any, Any]]] = [one.to_dict("index") for one in frames]
    columns = [Column(f"run-{place}", one.name, True, _badge(one.times)) for place, one in enumerate(runs, 1)]
    rows = tuple(Row(name, (Cell(name), *(_beside(one.get(name)) for one in found))) for name in shown)
    return Table(
        key, "The same operators side by side", (Column("operator", "Operator"), *columns), rows, title,
        "share of a framework's operators, seconds, calls of the costliest of that kind, joules shared by time",
    )  # fmt: skip


def _beside(row: dict[Any, Any] | None) -> Cell:
    if row is None:
        return Cell(DASH, note=NONE)
    told = [quantity(row["seconds"], "s"), f"{row['calls']} calls"]
    told += [quantity(row[name], base) for name, base in BESIDE.items() if known(row[name]) is not None]
    minor = ", ".join(told)
    return Cell(percent(round(row["share"], 3)), repr(float(row["share"])), minor=minor)


def _badge(times: OperatorTimes | None) -> str:
    """What its joules are; none where they are not told."""
    return times.joules.provenance if times and times.joules else ""


def _own(name: str, times: OperatorTimes, key: str, title: str) -> Table:
    """As the framework's profiler names them."""
    rows = times.operators
    shown = rows[rows["share"] >= LEAST_SHARE]
    units = {name: unit_for(shown[name], base) for name, base in BESIDE.items()}
    detail = f"by {times.source}, in {number(times.recorded_s)}{THIN}s of the first epoch or pass"
    columns = (
        Column("operator", "Operator"), Column("name", "Its own name"), Column("calls", "Calls", True),
        Column("seconds", "Time", True, hint="s"), Column("share", "Share", True, hint="of its operators"),
        Column("joules", "Energy", True, _badge(times)),
        Column("bytes", "Bytes", True), Column("flops", "FLOPs", True),
    )  # fmt: skip
    remark = operator_balance.remark(times.joules) if times.joules else f"{UNTOLD_JOULES}: {times.reason}."
    return Table(key, name, columns, tuple(_rows(shown, units, times)), title, detail, remarks=(remark,))


def _rows(shown: pd.DataFrame, units: dict[str, Unit], times: OperatorTimes) -> Iterator[Row]:
    for row in shown.to_dict("records"):
        cells = (
            Cell(row["operator"]),
            Cell(row["name"], row["name"]),
            whole(row["calls"]),
            amount(row["seconds"], Unit()),
            Cell(percent(round(row["share"], 3)), repr(float(row["share"]))),
            _joules(row, units["joules"], times),
            *(amount(row[name], units[name], UNTOLD) for name in UNITS),
        )
        yield Row(f"{row['operator']} {row['name']}", cells)


def _joules(row: dict[Any, Any], unit: Unit, times: OperatorTimes) -> Cell:
    if times.joules is None:
        return amount(row["joules"], unit, f"{UNTOLD_JOULES}: {times.reason}")
    bounds = f"{unit.text(row['least_j'])} to {unit.text(row['most_j'])}" if times.joules.told_apart else ""
    return amount(row["joules"], unit, minor=bounds)
