"""Energy against quality: what no other treatment beats in both, and what the same quality costs."""

from __future__ import annotations

from typing import Any

import pandas as pd

from harness.analysis.compare import mixed
from harness.analysis.families import DATASET, SAME, Family, families
from harness.analysis.groups import TREATMENT
from harness.analysis.points import COSTS, FRONT, SETTING, Target, points, target
from harness.analysis.quality import metric_of
from harness.analysis.quantities import as_metric, named
from harness.analysis.quantity import Quantity
from harness.analysis.summary import Analysis
from harness.analysis.withheld import reasons
from harness.store import Campaign
from reports.bubbles import bubbles
from reports.formats import DASH, Unit, known, number, ratio
from reports.parts import Block, Cell, Column, Figure, Panel, Row, Sentence, Table, amount
from reports.units import unit_of
from reports.wording import anchor, badge_of_all
from suite.task import Direction

TITLE, ORDER = "Trade-offs", 45
CAPTION = (
    "{} and left is better. Larger marks took longer. The dashed line joins what nothing else here beats in energy "
    "and quality at once, the Pareto front."
)
LEAST = "Times the least"
REMARK = (
    "Means: geometric of energy and time, arithmetic of quality. Times the least: of this table, p / p_min, not of the "
    "reference. It and the front are of means alone: which differences are shown, the verdict says."
)
AIM = (
    "{}: that of the training phases, without evaluation, up to the end of the first epoch at this quality. "
    "It is the {} that every run reached."
)
UNKNOWN = "not recorded"
BETTER = {Direction.HIGHER: "Up", Direction.LOWER: "Down"}
FURTHEST = {Direction.HIGHER: "highest", Direction.LOWER: "lowest"}


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    named = enumerate(families(analysis.groups, (*SAME, DATASET)))
    blocks = [block for index, family in named if (block := _block(analysis, family, index))]
    return {"blocks": blocks} if blocks else {}


def _block(analysis: Analysis, family: Family, index: int) -> Block | None:
    """None where there are no two points to choose between."""
    runs = family.select(analysis.counted)
    metric = metric_of(runs, analysis.tasks)
    direction = metric.direction if metric else Direction.HIGHER
    rows = points(analysis.costs, family, direction)
    costs = family.select(analysis.costs)
    if why := "; ".join(reasons(costs[costs["quantity"].isin([*COSTS, "quality"])])):
        return Block(anchor("tradeoffs-block", index), family.title, (Sentence(f"No trade-off: {why}."),))
    if refused := mixed(runs):
        return Block(anchor("tradeoffs-block", index), family.title, (Sentence(f"No trade-off: {refused}."),))
    if rows[FRONT].notna().sum() < 2:
        return None
    provenance, aim = badge_of_all(runs), target(analysis.counted, analysis.raw.epochs, family, metric)
    quality, caption = as_metric(named("quality"), metric), CAPTION.format(BETTER[direction])
    alike = rows.loc[rows[FRONT].notna(), "quality"].nunique() == 1
    units = {one: unit_of(analysis, named(one)) for one in ("energy_j", "duration_s")}
    panels = () if alike else (_panel(rows, family, quality, units, provenance),)
    return Block(
        anchor("tradeoffs-block", index),
        family.title,
        (Sentence(f"No front is drawn: all reached the same {quality.words}."),) if alike else (),
        figure=Figure(f"tradeoffs-figure-{index + 1}", caption, panels) if panels else None,
        tables=(_table(rows, aim, quality, units, provenance, f"tradeoffs-table-{index + 1}", family.title),),
    )


def _panel(
    rows: pd.DataFrame, family: Family, quality: Quantity, units: dict[str, Unit], provenance: str
) -> Panel:
    shown = rows[rows[FRONT].notna()]
    energy, time = units["energy_j"], units["duration_s"]
    data = pd.DataFrame(
        {
            "treatment": shown[TREATMENT], "setting": shown[SETTING], "cost": shown["energy_j"] / energy.size,
            "gain": shown["quality"], "size": shown["duration_s"] / time.size, "front": shown[FRONT].astype(bool),
        }
    )  # fmt: skip
    titles = {"cost": f"energy ({energy.symbol})", "gain": quality.words, "size": f"time ({time.symbol})"}
    names = [name for name in family.treatments if name in set(shown[TREATMENT])]
    title = f"Energy against {quality.words}"
    label = f"{title}, a mark per framework and setting, larger where it took longer; the table below has the numbers."
    return Panel(title, bubbles(data, names, titles), label, provenance)


def _table(
    rows: pd.DataFrame,
    aim: Target | None,
    quality: Quantity,
    units: dict[str, Unit],
    provenance: str,
    key: str,
    context: str,
) -> Table:
    columns = [
        Column("point", "Framework"), Column("energy_j", "Energy", True, provenance),
        Column("energy_j-ratio", LEAST, True), Column("duration_s", "Time", True),
        Column("duration_s-ratio", LEAST, True), Column("quality", quality.title, True),
        Column("front", "Pareto front", hint="by means alone"),
    ]  # fmt: skip
    columns += [Column("energy_j-aim", _aimed(aim), True, provenance)] if aim else []
    body = tuple(
        Row(_name(row), (*_cells(row, units), *([_aim_cell(row, aim, units["energy_j"])] if aim else [])))
        for row in rows.to_dict("records")
    )
    return Table(
        key,
        "Energy, time and quality",
        tuple(columns),
        body,
        context,
        remarks=(REMARK, *([AIM.format(_aimed(aim), FURTHEST[aim.metric.direction])] if aim else [])),
    )


def _name(row: dict[Any, Any]) -> str:
    return f"{row[TREATMENT]} {row[SETTING]}".strip()


def _cells(row: dict[Any, Any], units: dict[str, Unit]) -> list[Cell]:
    cells = [Cell(row[TREATMENT], minor=row[SETTING])]
    for name, unit in units.items():
        over = known(row[f"{name}_over_best"])
        cells.append(amount(row[name], unit, UNKNOWN, mark="lowest" if over == 1 else ""))
        cells.append(Cell(DASH, note=UNKNOWN) if over is None else Cell(ratio(over), repr(over)))
    front = row[FRONT]
    cells.append(amount(row["quality"], Unit(), UNKNOWN, digits=4))
    return [*cells, Cell(DASH, note=UNKNOWN) if pd.isna(front) else Cell("", mark="on it" if front else "")]


def _aimed(aim: Target) -> str:
    return f"Energy to {aim.metric.title} {number(aim.value)}"


def _aim_cell(row: dict[Any, Any], aim: Target, unit: Unit) -> Cell:
    return amount(aim.energy_j.get((row[TREATMENT], row[SETTING])), unit, UNKNOWN)
