"""Epoch by epoch: the first apart from the rest, and after how many epochs a dear start has paid off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from harness.analysis.courses import break_evens, courses
from harness.analysis.epoch_costs import FIRST, LATER, epoch_costs, first_and_later
from harness.analysis.groups import TREATMENT, Group
from harness.analysis.quantities import of_phases
from harness.analysis.quantity import Quantity
from harness.analysis.summary import Analysis
from harness.store import Campaign
from reports import figures
from reports.formats import DASH, Unit, known, ratio
from reports.parts import Block, Cell, Column, Figure, Panel, Row, Table, amount
from reports.units import unit_of
from reports.wording import anchor, badge, badge_of_all, drawable, names_in, only

TITLE, ORDER = "Epochs", 32
Units = Mapping[str, Unit]
UNKNOWN = {"J": "no comparable energy readings cover these epochs", "s": "there is no such epoch"}
REMARK = "Arithmetic means over runs of the training phases alone, without evaluation. Ratio: the first to a later one."
PAID = (
    "From means over runs: what a run costs beyond its epochs is paid once, and each epoch adds what those after the "
    "first cost, with their evaluation. Extrapolated: nobody ran more epochs than were planned. "
    "No verdict: no interval stands behind these numbers, and where the ratio of a framework is open, so are they."
)


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    named = enumerate(analysis.groups)
    blocks = [block for index, group in named if (block := _block(analysis, group, index))]
    return {"blocks": blocks} if blocks else {}


def _block(analysis: Analysis, group: Group, index: int) -> Block | None:
    """None where no run that counts has two epochs."""
    runs, phases = group.select(analysis.counted), analysis.raw.phases
    epochs = epoch_costs(runs, phases)
    if epochs["epoch"].nunique() < 2:
        return None
    names, provenance, title = names_in(group, epochs), badge(analysis, group), group.title
    badges = {name: badge_of_all(only(runs, treatment=name)) for name in names}
    drawn = drawable(of_phases(), epochs, provenance)
    units = {one.name: unit_of(analysis, one) for one in of_phases()}
    panels = tuple(
        panel
        for one in drawn
        for panel in (
            _panel(epochs, names, one, units[one.name], provenance),
            *([_so_far(epochs, names, one, units[one.name], provenance)] if one.energy else []),
        )
    )
    caption = "Mean over runs of each epoch's training, and of all until its end."
    tables = (
        _first_later(first_and_later(runs, phases), units, badges, provenance, f"epochs-{index + 1}", title),
        *_paid_off(courses(runs, phases), badges, index, title),
    )
    figure = Figure(f"epochs-figure-{index + 1}", caption, panels) if panels else None
    return Block(anchor("epochs-block", index), title, figure=figure, tables=tables)


def _panel(epochs: pd.DataFrame, names: list[str], measure: Quantity, unit: Unit, provenance: str) -> Panel:
    rows = pd.DataFrame(
        {"treatment": epochs[TREATMENT], "epoch": epochs["epoch"], "mean": epochs[measure.name] / unit.size}
    )
    title = f"{measure.title} of each epoch"
    label = f"{title} as lines, one per framework; the table below has the first epoch and the mean of the others."
    drawing = figures.lines(rows.dropna(), names, f"{measure.words} ({unit.symbol})")
    return Panel(title, drawing, label, measure.badge(provenance), measure.name)


def _so_far(epochs: pd.DataFrame, names: list[str], measure: Quantity, unit: Unit, provenance: str) -> Panel:
    """An epoch whose cost nobody knows leaves all later sums unknown."""
    inorder = epochs.sort_values("epoch")
    sums = inorder.groupby(TREATMENT)[measure.name].transform(lambda costs: costs.cumsum(skipna=False))
    rows = pd.DataFrame(
        {"treatment": inorder[TREATMENT], "epoch": inorder["epoch"], "mean": sums / unit.size}
    )
    title = f"{measure.title} of all epochs so far"
    label = f"{title} as lines, one per framework: sums of what the chart before shows."
    drawing = figures.lines(rows.dropna(), names, f"{measure.words} ({unit.symbol})")
    return Panel(title, drawing, label, measure.badge(provenance), measure.name)


def _first_later(
    rows: pd.DataFrame, units: Units, badges: dict[str, str], provenance: str, key: str, context: str
) -> Table:
    columns = [Column("treatment", "Framework")]
    for one in of_phases():
        mark = one.badge(provenance)
        columns += [
            Column(f"{one.name}-first", f"{one.title}, {FIRST}", True, mark),
            Column(f"{one.name}-later", f"{one.title}, {LATER}", True, mark),
            Column(f"{one.name}-ratio", "Ratio", True),
        ]
    own_badges = badges if len(set(badges.values())) > 1 else dict.fromkeys(badges, "")
    body = tuple(
        Row(
            name, (Cell(name), *(cell for one in of_phases() for cell in _cells(rows, name, one, units, own)))
        )
        for name, own in own_badges.items()
    )
    return Table(key, "First and later epochs", tuple(columns), body, context, remarks=(REMARK,))


def _cells(rows: pd.DataFrame, name: str, measure: Quantity, units: Units, provenance: str) -> list[Cell]:
    """The first epoch, a later one, and how many times as much the first costs; each joule says what it is."""
    unit = units[measure.name]
    costs = only(rows, treatment=name).set_index("part")[measure.name]
    first, later = (known(costs.get(part)) for part in (FIRST, LATER))
    reason, minor = UNKNOWN[measure.unit], measure.badge(provenance)
    times = first / later if first is not None and later else None
    cells = [amount(value, unit, reason, minor=minor) for value in (first, later)]
    return [*cells, Cell(DASH, note=reason) if times is None else Cell(ratio(times), repr(times))]


def _paid_off(table: pd.DataFrame, badges: dict[str, str], index: int, context: str) -> list[Table]:
    """For energy and for time, where two treatments have a course: rows against columns."""
    names = [name for name in badges if name in set(table[TREATMENT])]
    refused = len({badges[name] for name in names}) > 1
    drawn = [one for one in of_phases() if len(names) > 1 and not (refused and one.badge("joules"))]
    return [
        _break_even(table, one, names, badges[names[0]], f"epochs-{one.name}-{index + 1}", context)
        for one in drawn
    ]


def _break_even(
    table: pd.DataFrame, measure: Quantity, names: list[str], provenance: str, key: str, context: str
) -> Table:
    found = break_evens(table, measure.name)
    cells = {
        (row.treatment, row.reference): _when(row.epochs, row.reason, row.until) for row in found.itertuples()
    }
    remarks = (PAID,) if measure == of_phases()[-1] else ()
    columns = (
        Column("treatment", "Framework"),
        *(Column(name, f"than {name}", True, measure.badge(provenance)) for name in names),
    )
    body = tuple(
        Row(name, (Cell(name), *(cells.get((name, other), Cell("")) for other in names))) for name in names
    )
    title = f"After how many epochs one costs less {measure.words}"
    return Table(key, title, columns, body, context, remarks=remarks)


def _when(epochs: Any, reason: object, until: Any) -> Cell:
    """A number alone holds for good; "1–4" for so long."""
    if pd.isna(epochs):
        return Cell("never", note=str(reason))
    if pd.isna(until):
        return Cell(str(epochs), str(epochs), note=str(reason))
    words = f"only {until}" if until == epochs else f"{epochs}–{until}"
    return Cell(words, str(epochs), note=str(reason))
