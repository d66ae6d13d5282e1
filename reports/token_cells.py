"""Columns and cells of what tokens and requests cost each treatment by itself: a mean with its interval below it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from harness.analysis.quantities import named
from harness.analysis.quantity import Quantity
from harness.analysis.summary import Analysis
from reports.formats import Unit, known, number
from reports.parts import Cell, Column, amount
from reports.units import unit_of

Heads = Mapping[str, tuple[str, str]]  # quantity -> its head, in two lines


def units_of(analysis: Analysis, names: Iterable[str]) -> dict[str, Unit]:
    """Of each quantity."""
    return {name: unit_of(analysis, named(name)) for name in names}


def columns(heads: Heads, provenance: str) -> list[Column]:
    return [
        Column(name, title, True, named(name).badge(provenance), hint)
        for name, (title, hint) in heads.items()
    ]


def cells(costs: pd.DataFrame, units: Mapping[str, Unit]) -> list[Cell]:
    """Of one treatment of a group."""
    mine = costs.set_index("quantity").to_dict("index")
    return [_cell(mine[name], unit, named(name)) for name, unit in units.items()]


def _cell(row: dict[Any, Any], unit: Unit, quantity: Quantity) -> Cell:
    low, high = (known(row[end]) for end in ("low", "high"))
    minor = "" if low is None or high is None else f"({_short(low, unit)}–{_short(high, unit)})"
    return amount(row["mean"], unit, row["reason"], minor=minor, digits=quantity.digits)


def _short(value: float, unit: Unit) -> str:
    return number(value / unit.size)
