"""The functions in whose joules two profiled runs of the same work differ most."""

from __future__ import annotations

from typing import Any

from harness.analysis.function_types import FunctionTypes
from harness.analysis.profile_pairs import ProfiledPair
from reports.formats import Unit, unit_for
from reports.function_tables import OWN, SAMPLED, told
from reports.parts import Cell, Column, Row, Table, amount

LARGEST = 20
NEVER = "never seen in this run"
SCATTER = (
    "Intervals are of attributing alone, with what the meter leaves unsure: how much such runs differ from one to the "
    "next is in none of them."
)


def of_pair(pair: ProfiledPair, types: FunctionTypes, title: str, key: str) -> Table:
    rows = pair.rows.head(LARGEST)
    unit, badge = unit_for(rows["difference_j"], "J"), pair.costs[0].provenance if pair.costs else ""
    joules = dict(zip(("difference", "reference", "other"), ("Difference", *pair.names), strict=True))
    numbers = (Column(key, name, True, badge) for key, name in joules.items())
    columns = (Column("function", "Function"), *numbers, Column("type", "Type"))
    body = (
        Row(row["function"], _cells(row, types.of(row["function"]), unit)) for row in rows.to_dict("records")
    )
    return Table(key, "Largest differences", columns, tuple(body), title, SAMPLED, remarks=(OWN, SCATTER))


def _cells(row: dict[Any, Any], kind: str, unit: Unit) -> tuple[Cell, ...]:
    return (
        Cell(row["function"]),
        _signed(row["difference_j"], row["half_width_j"], unit),
        amount(row["reference_j"], unit, NEVER),
        amount(row["joules"], unit, NEVER),
        Cell(kind),
    )


def _signed(joules: float, half_width_j: float, unit: Unit) -> Cell:
    cell = told(joules, half_width_j, unit)
    return Cell(f"+{cell.text}", cell.value, minor=cell.minor) if joules > 0 else cell
