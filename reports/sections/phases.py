"""Where the joules and seconds of a run go, phase by phase."""

from __future__ import annotations

from typing import Any

import pandas as pd

from harness.analysis.groups import TREATMENT, Group
from harness.analysis.part_intervals import half_widths
from harness.analysis.parts import STARTUP
from harness.analysis.quantities import of_phases
from harness.analysis.quantity import Quantity
from harness.analysis.summary import Analysis
from harness.store import Campaign
from reports.formats import Unit
from reports.parts import Block, Column, Figure, Panel, Sentence, Table, amount, grid
from reports.stacked import stacked
from reports.units import unit_of
from reports.wording import SURE, anchor, badge, badge_of_all, drawable, names_in, only

TITLE, ORDER = "Phases", 30
REASONS = {"J": "no comparable energy readings cover this phase", "s": "no such phase in these runs"}
# Small phases share one colour of the chart; the table has each by itself.
SHARED = {"import": "import, load, build", "load": "import, load, build", "build": "import, load, build",
          "teardown": "teardown and other", "other": "teardown and other"}  # fmt: skip
CAPTION = (
    "Mean per run of each framework. Compilation and the first epoch stand apart from the epochs after it. Lines "
    f"below: the {SURE} interval of each phase's mean by itself, about where the phase ends; Student's t over blocks, "
    "or over nodes or sessions where there are several, and none where fewer than two tell."
)
REMARK = (
    "Arithmetic means per run, so that the parts add up. startup lies before the measured window and in no total; "
    "other is the rest of the window, outside every phase."
)


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    halves = half_widths(analysis.counted, analysis.raw.phases, SHARED)
    named = enumerate(analysis.groups)
    return {"blocks": [_block(analysis, group, group.select(halves), index) for index, group in named]}


def _block(analysis: Analysis, group: Group, halves: pd.DataFrame, index: int) -> Block:
    rows, runs = group.select(analysis.parts), group.select(analysis.counted)
    key, names = anchor("phases", index), names_in(group, rows)
    if not names:
        return Block(key, group.title, (Sentence("No run counts here, so no phase has a mean."),))
    badges = {name: badge_of_all(only(runs, treatment=name)) for name in names}
    units = {one.name: unit_of(analysis, one) for one in of_phases()}
    tables = tuple(_table(rows, one, units[one.name], badges, group, index) for one in of_phases())
    figure = _figure(rows, halves, names, units, badge(analysis, group), index)
    return Block(key, group.title, figure=figure, tables=tables)


def _table(
    rows: pd.DataFrame, measure: Quantity, unit: Unit, badges: dict[str, str], group: Group, index: int
) -> Table:
    """One column per framework, each with its own provenance."""
    values = {(row.part, row.treatment): getattr(row, measure.name) for row in rows.itertuples()}
    columns = [Column("part", "Phase"), *(Column(n, n, True, measure.badge(b)) for n, b in badges.items())]
    headings = {part: part for part in rows["part"]}
    body = grid(headings, badges, values, lambda value: amount(value, unit, REASONS[measure.unit]))
    key, title = f"phases-{measure.name}-{index + 1}", f"{measure.title} per phase"
    return Table(key, title, tuple(columns), body, group.title, remarks=(REMARK,))


def _figure(
    rows: pd.DataFrame,
    halves: pd.DataFrame,
    names: list[str],
    units: dict[str, Unit],
    provenance: str,
    index: int,
) -> Figure | None:
    inside = rows[rows["part"] != STARTUP]
    shown = inside.assign(part=[SHARED.get(part, part) for part in inside["part"]])
    drawn = drawable(of_phases(), shown, provenance)
    panels = tuple(_panel(shown, halves, names, one, units[one.name], provenance) for one in drawn)
    return Figure(f"phases-figure-{index + 1}", CAPTION, panels) if panels else None


def _panel(
    rows: pd.DataFrame, halves: pd.DataFrame, names: list[str], measure: Quantity, unit: Unit, provenance: str
) -> Panel:
    by = [TREATMENT, "part"]
    sums = rows.groupby(by, sort=False)[measure.name].sum(skipna=False).rename("value")
    half = halves.set_index(by)[measure.name].reindex(sums.index)
    bars = (pd.DataFrame({"value": sums, "half": half}) / unit.size).reset_index()
    label = (
        f"{measure.title} per phase as stacked bars, by framework, each with its interval; the table below has the "
        "numbers."
    )
    axis = f"{measure.words} ({unit.symbol})"
    svg = stacked(bars, names, list(dict.fromkeys(bars["part"])), axis)
    return Panel(f"{measure.title} per phase", svg, label, measure.badge(provenance), measure.name)
