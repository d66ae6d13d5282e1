"""Every stored run as a row, counted or not."""

from __future__ import annotations

from typing import Any

import pandas as pd

from harness.analysis.groups import Group
from harness.analysis.plain_texts import records
from harness.analysis.quantities import leads, named
from harness.analysis.quantity import Quantity
from harness.analysis.summary import Analysis
from harness.store import Campaign
from reports import figures, thinned
from reports.formats import Unit, known, plural
from reports.parts import Block, Cell, Column, Figure, Link, Panel, Row, Table, amount
from reports.units import unit_of
from reports.wording import anchor, badge, badge_of_all, drawable, names_in

TITLE, ORDER = "Runs", 50
TABLE = "#runs-table"
SHOWN = ("duration_s", "energy_j", "mean_power_w")


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    counted = [group.select(analysis.counted) for group in analysis.groups]
    blocks = [int(runs["block"].nunique()) for runs in counted]
    drawn = [
        _block(analysis, group, runs, index)
        for index, (group, runs) in enumerate(zip(analysis.groups, counted, strict=True))
        if blocks[index] > 1
    ]
    table = _table(analysis) if len(analysis.runs) else None
    shown = [block for block in drawn if block.figure]
    return {"blocks": shown, "single": plural(blocks.count(1), "work") if 1 in blocks else "", "table": table}


def _block(analysis: Analysis, group: Group, runs: pd.DataFrame, index: int) -> Block:
    provenance = badge(analysis, group)
    drawn = drawable(leads(), runs, provenance)
    names = names_in(group, runs)
    panels = tuple(_panel(runs, names, one, unit_of(analysis, one), provenance) for one in drawn)
    fewer = thinned.drawn_of(runs)
    kept = "is drawn" if fewer else "counts"
    caption = (
        f"One mark per run that {kept}. A slope over the blocks is a drift of the machine. {fewer}".rstrip()
    )
    link = Link(f"{thinned.listed(analysis.runs, 'All runs')} as a table", TABLE)
    figure = Figure(f"runs-figure-{index + 1}", caption, panels, (link,)) if panels else None
    return Block(anchor("runs", index), group.title, figure=figure)


def _panel(runs: pd.DataFrame, names: list[str], measure: Quantity, unit: Unit, provenance: str) -> Panel:
    rows = runs[["treatment", "block"]].assign(value=runs[measure.name] / unit.size)
    svg = figures.dots(thinned.marks(rows), names, f"{measure.words} ({unit.symbol})")
    label = f"{measure.title} of every run by block; the table below has the numbers."
    return Panel(f"{measure.title} of each run", svg, label, measure.badge(provenance))


def _table(analysis: Analysis) -> Table:
    runs, whole = thinned.rows(analysis.runs), len(analysis.runs)
    provenance, shown = badge_of_all(analysis.runs), [named(name) for name in SHOWN]
    columns = (
        Column("run", "Run"), Column("block", "Block", True), Column("position", "Order", True),
        Column("work", "Workload"), Column("treatment", "Framework"), Column("outcome", "Outcome"),
        *(Column(one.name, one.title, True, one.badge(provenance)) for one in shown),
        Column("exclusion", "Excluded because"),
    )  # fmt: skip
    units = {one.name: unit_of(analysis, one) for one in shown}
    remarks = tuple(filter(None, (thinned.listed_of(len(runs), whole),)))
    body = tuple(_row(run, units, provenance) for run in records(runs))
    caption = "Stored runs" if remarks else "Every stored run"
    return Table(
        "runs-table", caption, columns, body, detail="in the order in which they ran", remarks=remarks
    )


def _row(run: dict[Any, Any], units: dict[str, Unit], provenance: str) -> Row:
    own = str(run["provenance"]) if provenance.startswith("mixed") else ""
    reason = run["energy_reason"] if isinstance(run["energy_reason"], str) else ""
    cells = (
        Cell(run["run_id"]),
        Cell(str(run["block"]), str(run["block"])),
        Cell(str(run["position"]), str(run["position"])),
        Cell(f"{run['workload']} · {run['stage']} · {run['dataset']}"),
        Cell(run["treatment"]),
        Cell("", run["outcome"], mark=run["outcome"]),
        amount(run["duration_s"], units["duration_s"], "the run did not finish"),
        amount(run["energy_j"], units["energy_j"], reason, minor=_minor(run, units["energy_j"], own)),
        amount(run["mean_power_w"], units["mean_power_w"], reason, minor=own),
        Cell(run["exclusion"]),
    )
    return Row(run["run_id"], cells)


def _minor(run: dict[Any, Any], unit: Unit, own: str) -> str:
    """The uncertainty that sampling leaves, and the provenance where the column's runs differ in it."""
    half = known(run["energy_uncertainty_j"])
    return " ".join(part for part in ("" if half is None else f"± {unit.text(half, 2)}", own) if part)
