"""Each quantity in the numbers that the appendices of studies print, so that two studies can be laid side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd

from harness.analysis.compare import mixed
from harness.analysis.groups import TREATMENT, Group
from harness.analysis.plain_texts import records
from harness.analysis.quality import metric_of
from harness.analysis.quantities import as_metric, recorded
from harness.analysis.quantity import Quantity, Scope
from harness.analysis.summary import Analysis
from harness.store import Campaign
from reports.formats import DASH, Unit, known
from reports.parts import Block, Cell, Column, Row, Table, amount, chance, whole
from reports.units import unit_of
from reports.wording import anchor, badge_of_all, only

TITLE, ORDER = "Summary of the runs", 55


NUMBERS = {"mean": "Mean", "median": "Median", "sd": "Standard deviation", "min": "Least", "max": "Greatest"}
VARIANCE = "variance"
ONE_RUN = "one run has no spread"
ALIKE = "fewer than three runs, or all alike"
REMARK = (
    "Arithmetic means; standard deviation and variance of a sample (n − 1). Shapiro and Wilk's p below 0.05 speaks "
    "against a normal distribution; with few runs it rejects hardly anything."
)


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    groups = enumerate(analysis.groups)
    blocks = [
        _block(analysis, group, index) for index, group in groups if len(group.select(analysis.descriptions))
    ]
    return {"blocks": blocks} if blocks else {}


def _block(analysis: Analysis, group: Group, index: int) -> Block:
    rows, runs = _in_order(group.select(analysis.descriptions), group), group.select(analysis.counted)
    shown = [one for one in recorded() if (only(rows, quantity=one.name)["n"] > 0).any()]
    metric = metric_of(runs, analysis.tasks)
    shown = [replace(one, unit=as_metric(one, metric).unit) for one in shown]
    of_each = {name: only(runs, treatment=name) for name in rows[TREATMENT].unique()}
    joules = {name: (mixed(mine), badge_of_all(mine)) for name, mine in of_each.items()}
    body = [
        row
        for one in shown
        for row in _rows(only(rows, quantity=one.name), one, unit_of(analysis, one), joules)
    ]
    columns = _columns()
    table = Table(f"summary-{index + 1}", "Summary", columns, tuple(body), group.title, "over the runs that count",
                  remarks=(REMARK,))  # fmt: skip
    return Block(anchor("summaries", index), group.title, tables=(table,))


def _in_order(rows: pd.DataFrame, group: Group) -> pd.DataFrame:
    """Of the treatments as all tables have them, not as they first ran."""
    places = {name: place for place, name in enumerate(group.treatments)}
    return rows.sort_values(TREATMENT, key=lambda names: names.map(places), kind="stable")


def _columns() -> tuple[Column, ...]:
    titles = {**NUMBERS, VARIANCE: "Variance", "shapiro_w": "Shapiro-Wilk W", "shapiro_p": "p"}
    numbers = (Column(key, title, numeric=True) for key, title in titles.items())
    first = Column("quantity", "Quantity, framework")
    return (first, Column("n", "Runs", numeric=True), *numbers)


def _rows(
    rows: pd.DataFrame, quantity: Quantity, unit: Unit, joules: dict[str, tuple[str, str]]
) -> list[Row]:
    """`joules`: of each treatment, why they are not told together, and what stands beside them."""
    title = quantity.full_title if quantity.scope is Scope.STAGE else quantity.title
    found = []
    for row in records(rows):
        why, provenance = joules[row[TREATMENT]]
        refused = why if quantity.energy else ""
        heading = Cell(f"{title}, {row[TREATMENT]}", minor=quantity.badge(provenance))
        numbers = _refused(refused) if refused else _numbers(row, unit, quantity.digits)
        found.append(Row(f"{quantity.name} {row[TREATMENT]}", (heading, whole(row["n"]), *numbers)))
    return found


def _numbers(row: dict[Any, Any], unit: Unit, digits: int) -> list[Cell]:
    reason = "no run has it" if not row["n"] else ONE_RUN
    cells = [amount(row[name], unit, reason, digits=digits) for name in NUMBERS]
    return [
        *cells,
        _variance(row["sd"], unit),
        amount(row["shapiro_w"], Unit(), ALIKE),
        chance(row["shapiro_p"], ALIKE),
    ]


def _variance(sd: object, unit: Unit) -> Cell:
    """In the square of the column's unit."""
    number = known(sd)
    square = Unit(unit.size**2, f"{unit.symbol}²" if unit.symbol else "")
    return amount(None if number is None else number**2, square, ONE_RUN)


def _refused(reason: str) -> list[Cell]:
    return [Cell(DASH, note=reason)] * (len(NUMBERS) + 3)
