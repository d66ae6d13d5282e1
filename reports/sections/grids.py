"""Batch size, depth, data set: what changes with them, as small multiples on one scale."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import pandas as pd

from harness.analysis.families import Family, families
from harness.analysis.groups import TREATMENT
from harness.analysis.quantity import Quantity
from harness.analysis.summary import Analysis
from harness.analysis.surface import Surface, surfaces
from harness.analysis.withheld import reasons
from harness.store import Campaign
from reports.formats import Unit, known, listed
from reports.multiples import multiple
from reports.parts import Block, Cell, Column, Figure, Panel, Row, Sentence, Table, amount
from reports.units import unit_of
from reports.wording import badge_of_all

TITLE, ORDER = "Over the factors", 22
REASON = "not known in this setting"
REMARKS = {
    "first_energy_j": "Of the training phase alone: an epoch's evaluation is not in it.",
    "later_energy_j": "Of the training phases alone: the mean of the epochs after the first.",
    "gpu_utilisation": "Time-weighted mean over the whole run of what the GPU's driver reports.",
}


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    varied = [family for family in families(analysis.groups) if family.factors]
    blocks = [
        _block(index, family, one, analysis)
        for index, family in enumerate(varied)
        for one in surfaces(analysis, campaign, family)
    ]
    return {"blocks": blocks} if blocks else {}


def _block(index: int, family: Family, surface: Surface, analysis: Analysis) -> Block:
    quantity, provenance = surface.quantity, badge_of_all(family.select(analysis.counted))
    key, title = f"grids-{quantity.name}-{index + 1}", f"{quantity.title}, {family.title}"
    if surface.refused:
        return Block(f"{key}-block", title, (Sentence(f"Not laid side by side: {surface.refused}."),))
    unit = unit_of(analysis, quantity)
    dubious = bool(reasons(family.select(analysis.costs)))
    grid = Grid(family, quantity, surface.rows, unit, quantity.badge(provenance), dubious)
    figure = Figure(f"{key}-figure", grid.caption, tuple(grid.panels()))
    return Block(f"{key}-block", title, figure=figure, tables=(grid.table(key),))


@dataclass(frozen=True)
class Grid:
    """One quantity of a family. rows: SURFACE_COLUMNS; `badge` stands beside its numbers.

    `dubious`: a verdict of the family is withheld, so that nobody is best.
    """

    family: Family
    quantity: Quantity
    rows: pd.DataFrame
    unit: Unit
    badge: str
    dubious: bool = False

    @property
    def across(self) -> str:
        """The factor along the axis: that with most levels."""
        return max(self.family.factors, key=lambda name: len(self.family.factors[name]))

    @property
    def others(self) -> list[str]:
        return [name for name in self.family.factors if name != self.across]

    @property
    def caption(self) -> str:
        others = listed(map(_words, self.others))
        return f"A chart for each {others}, all on one scale." if others else ""

    def panels(self) -> Iterator[Panel]:
        """One for each combination of the other factors' levels that has a value."""
        rows = self.family.laid_out(self.rows)
        for levels in product(*(self.family.factors[name] for name in self.others)):
            wanted = dict(zip(self.others, map(str, levels), strict=True))
            here = _at(rows, wanted)
            if here["value"].notna().any():
                yield self._panel(
                    here, " · ".join(f"{_words(name)} {level}" for name, level in wanted.items())
                )

    def _panel(self, rows: pd.DataFrame, title: str) -> Panel:
        value, levels = rows["value"] / self.unit.size, rows[_column(self.across)]
        shown = pd.DataFrame({"treatment": rows[TREATMENT], "level": levels, "value": value})
        words = self.quantity.words
        axis = f"{words} ({self.unit.symbol})" if self.unit.symbol else words
        top = 1.05 * float(self.rows["value"].max()) / self.unit.size
        order = [str(level) for level in self.family.factors[self.across]]
        drawing = multiple(shown, list(self.family.treatments), _words(self.across), order, axis, top)
        label = f"{self.quantity.title} by {_words(self.across)}, a bar per framework; the table below has the numbers."
        return Panel(title or self.quantity.title, drawing, label, self.badge, self.quantity.name)

    def table(self, key: str) -> Table:
        heads = (Column(name, name, True, self.badge) for name in self.family.treatments)
        first = Column("setting", ", ".join(map(_words, self.family.factors)).capitalize())
        body = tuple(
            self._row(group.select(self.rows), self.family.label(group)) for group in self.family.groups
        )
        remark = (REMARKS[self.quantity.name],) if self.quantity.name in REMARKS else ()
        return Table(key, self.quantity.title, (first, *heads), body, self.family.title, remarks=remark)

    def _row(self, rows: pd.DataFrame, label: str) -> Row:
        values = dict(zip(rows[TREATMENT], rows["value"], strict=True))
        best = None if self.dubious else self.quantity.best(list(rows["value"].dropna()))
        return Row(
            label, (Cell(label), *(self._cell(values.get(name), best) for name in self.family.treatments))
        )

    def _cell(self, value: object, best: float | None) -> Cell:
        mark = self.quantity.extreme if best is not None and known(value) == best else ""
        return amount(value, self.unit, REASON, mark, digits=self.quantity.digits)


def _at(rows: pd.DataFrame, levels: dict[str, str]) -> pd.DataFrame:
    for name, level in levels.items():
        rows = rows[rows[_column(name)] == level]
    return rows


def _column(factor: str) -> str:
    return f"level {factor}"


def _words(name: str) -> str:
    return name.replace("_", " ")
