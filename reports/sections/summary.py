"""Each quantity in the numbers that the appendices of studies print, so that two studies can be laid side by side."""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd

from harness.analysis.compare import mixed
from harness.analysis.groups import TREATMENT, Group
from harness.analysis.summary import Analysis
from harness.store import Campaign
from reports.formats import DASH, Unit, known, unit_for
from reports.parts import Block, Cell, Column, Row, Table, amount, chance, whole
from reports.wording import anchor, badge_of_all, only

TITLE, ORDER = "Summary of the runs", 55


class Spec(NamedTuple):
    """A quantity of runs, its title and base unit."""

    column: str
    title: str
    base: str

    @property
    def of_energy(self) -> bool:
        return self.base in ("J", "W")


SPECS = (
    Spec("energy_j", "Energy", "J"),
    Spec("energy_net_j", "Energy, net of idle", "J"),
    Spec("duration_s", "Time", "s"),
    Spec("mean_power_w", "Mean power", "W"),
    Spec("stage_energy_j", "Energy, stage alone", "J"),
    Spec("stage_duration_s", "Time, stage alone", "s"),
    Spec("cpu_s", "CPU time", "s"),
    Spec("memory_peak_bytes", "Peak memory", "bytes"),
    Spec("quality", "Quality", ""),
)
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
    rows, runs = group.select(analysis.descriptions), group.select(analysis.counted)
    specs = [one for one in SPECS if (only(rows, quantity=one.column)["n"] > 0).any()]
    body = [row for one in specs for row in _rows(only(rows, quantity=one.column), one, runs)]
    columns = _columns()
    table = Table(f"summary-{index + 1}", "Summary", columns, tuple(body), group.title, "over the runs that count",
                  remarks=(REMARK,))  # fmt: skip
    return Block(anchor("summaries", index), group.title, tables=(table,))


def _columns() -> tuple[Column, ...]:
    titles = {**NUMBERS, VARIANCE: "Variance", "shapiro_w": "Shapiro-Wilk W", "shapiro_p": "p"}
    numbers = (Column(key, title, numeric=True) for key, title in titles.items())
    first = Column("quantity", "Quantity, framework")
    return (first, Column("n", "Runs", numeric=True), *numbers)


def _rows(rows: pd.DataFrame, spec: Spec, runs: pd.DataFrame) -> list[Row]:
    unit = unit_for(map(known, rows["max"]), spec.base)
    found = []
    for row in rows.to_dict("records"):
        mine = only(runs, treatment=row[TREATMENT])
        refused = mixed(mine) if spec.of_energy else ""
        heading = Cell(f"{spec.title}, {row[TREATMENT]}", minor=badge_of_all(mine) if spec.of_energy else "")
        numbers = _refused(refused) if refused else _numbers(row, unit)
        found.append(Row(f"{spec.column} {row[TREATMENT]}", (heading, whole(row["n"]), *numbers)))
    return found


def _numbers(row: dict[Any, Any], unit: Unit) -> list[Cell]:
    reason = "no run has it" if not row["n"] else ONE_RUN
    digits = 4 if not unit.symbol else 3
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
