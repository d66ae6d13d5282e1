"""The means: energy, time and mean power always together (rule R39), whole run and stage alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from harness.analysis.groups import Group
from harness.analysis.quality import metric_of
from harness.analysis.quantities import as_metric, in_tables, of_rows
from harness.analysis.quantity import Quantity, Scope
from harness.analysis.summary import Analysis
from harness.store import Campaign
from reports.formats import DASH, Unit, interval, known, ratio
from reports.parts import Block, Cell, Column, Row, Table, amount, whole
from reports.stated_table import stated_tables
from reports.units import unit_of
from reports.wording import anchor, badge, by_quantity, only, verdict_of

TITLE, ORDER = "Costs", 20
Units = Mapping[str, Unit]
DETAILS = {
    Scope.RUN: "geometric means over runs; quality: arithmetic mean",
    Scope.STAGE: "geometric means over runs",
    Scope.PARTS: "geometric means over runs",
}
PAIRED = "ratios: over paired blocks{}, so not always one mean divided by the other"
UNTIL = " until each was decided"
REMARKS = {
    Scope.STAGE: "Stage alone: compilation and {stage} phases, without imports, data loading, evaluation and teardown.",
    Scope.PARTS: "Prefill and decode phases alone, without compilation. The first token comes from the prefill, for "
    "which its whole batch waits, and is no generated token of the others here.",
}


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    paired = PAIRED.format(UNTIL if campaign.record.plan.until else "")
    blocks = [_block(analysis, group, index, paired) for index, group in enumerate(analysis.groups)]
    return {"blocks": blocks}


def _block(analysis: Analysis, group: Group, index: int, paired: str) -> Block:
    rows = group.select(analysis.costs)
    metric = metric_of(group.select(analysis.counted), analysis.tasks)
    several = [as_metric(one, metric) for one in in_tables(of_rows(rows))]
    shown = {scope: [one for one in several if one.scope is scope] for scope in Scope}
    units = {one.name: unit_of(analysis, one) for one in several}
    tables = (
        _table(rows, group, index, some, units, badge(analysis, group), paired)
        for some in shown.values()
        if some
    )
    stated = stated_tables(analysis, group, index, badge(analysis, group))
    return Block(anchor("costs", index), group.title, tables=(*tables, *stated))


def _table(
    rows: pd.DataFrame,
    group: Group,
    index: int,
    shown: Sequence[Quantity],
    units: Units,
    provenance: str,
    paired: str,
) -> Table:
    """`shown`: of one scope; `paired`: what ratios are, where there are any."""
    scope = shown[0].scope
    several = len(group.treatments) > 1 and any(one.ranked for one in shown)
    remarks = (REMARKS[scope].format(stage=group.stage),) if scope in REMARKS else ()
    return Table(
        f"costs-{scope.partition(' ')[0]}-{index + 1}",
        scope.capitalize(),
        _columns(shown, provenance),
        tuple(
            Row(name, tuple(_cells(by_quantity(only(rows, treatment=name)), name, shown, units, provenance)))
            for name in group.treatments
        ),
        group.title,
        f"{DETAILS[scope]}; {paired}" if several else DETAILS[scope],
        remarks=remarks,
    )


def _columns(shown: Sequence[Quantity], provenance: str) -> tuple[Column, ...]:
    columns = [Column("treatment", "Framework"), Column("runs", "Runs", numeric=True)]
    for one in shown:
        columns.append(Column(one.name, one.title, numeric=True, badge=one.badge(provenance)))
        columns += [Column(f"{one.name}-ratio", "Ratio", numeric=True)] if one.ranked else []
    return tuple(columns)


def _cells(
    rows: dict[str, dict[Any, Any]], name: str, shown: Sequence[Quantity], units: Units, provenance: str
) -> list[Cell]:
    cells = [Cell(name), whole(next(iter(rows.values()))["runs"])]
    for one in shown:
        row = rows[one.name]
        cells.append(_mean(row, units[one.name], one, provenance))
        cells += [_ratio(row)] if one.ranked else []
    return cells


def _mean(row: Mapping[Any, Any], unit: Unit, quantity: Quantity, provenance: str) -> Cell:
    """Where the column's provenance is mixed, each number says its own."""
    some = f"from {row['n']} of {row['runs']} runs" if 0 < row["n"] < row["runs"] else ""
    minor = row["provenance"] if quantity.badge(provenance).startswith("mixed") else some
    return amount(
        row["mean"], unit, row["reason"], quantity.extreme if row["best"] else "", minor, quantity.digits
    )


def _ratio(row: Mapping[Any, Any]) -> Cell:
    value = known(row["ratio"])
    if value is None:
        return Cell(DASH, note=str(row["ratio_reason"]))
    verdict, withheld = verdict_of(row)
    note = f"no verdict: {withheld}" if withheld else ""
    if verdict == "reference":
        return Cell("1×", repr(value), note=note)
    return Cell(ratio(value), repr(value), minor=interval(known(row["low"]), known(row["high"])), note=note)
