"""A printed number beside ours, and a reproduction: cells, and what the raw files say that the text does not."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from math import isfinite
from pathlib import Path
from typing import Protocol

import pandas as pd

CELL_COLUMNS = ["table", "row", "column", "published", "ours", "unit", "match"]
NOT_AT_HAND, NOT_COMPARED = "not at hand", "not compared"
YES, NO = "yes", "no"
NOISE = 1e-9  # relative: of sums in another order


@dataclass(frozen=True)
class Cell:
    """One cell of a table. `published` is None where the printed value is not at hand; `within`: what still matches.

    `compared` is false where ours is not meant to be the printed number.
    """

    table: str
    row: str
    column: str
    published: float | None
    ours: float | None
    unit: str
    within: float = 0.0
    compared: bool = True

    @property
    def match(self) -> str:
        if self.published is None:
            return NOT_AT_HAND
        if not self.compared:
            return NOT_COMPARED
        if self.ours is None:
            return NO
        room = self.within + NOISE * max(abs(self.published), abs(self.ours))
        return YES if abs(self.ours - self.published) <= room else NO


@dataclass(frozen=True)
class Remark:
    """What an audit found: a code that programs can look for, and a sentence."""

    code: str
    message: str


@dataclass(frozen=True)
class Reproduction:
    """`source` names where the printed numbers stand; `notes` how ours are defined."""

    title: str
    source: str
    cells: tuple[Cell, ...]
    audit: tuple[Remark, ...]
    notes: tuple[str, ...] = ()

    def frame(self) -> pd.DataFrame:
        """CELL_COLUMNS; an unknown number is an empty cell."""
        rows = [
            (one.table, one.row, one.column, _text(one.published), _text(one.ours), one.unit, one.match)
            for one in self.cells
        ]
        return pd.DataFrame(rows, columns=CELL_COLUMNS)


class Study(Protocol):
    NAME: str
    SUMMARY: str
    NEEDS_FILES: bool

    def reproduce(self, path: Path | None) -> Reproduction: ...


def printed(name: str) -> pd.DataFrame:
    """A table of printed numbers from data/."""
    text = (files("harness.studies") / "data" / name).read_text(encoding="utf-8")
    return pd.read_csv(io.StringIO(text))


def disagreeing(cells: Iterable[Cell]) -> list[Cell]:
    return [one for one in cells if one.match == NO]


def compared(cells: Sequence[Cell]) -> str:
    """E.g. "44 of 48 cells match"."""
    judged = [one for one in cells if one.match in (YES, NO)]
    return f"{sum(one.match == YES for one in judged)} of {len(judged)} cells match"


def _text(value: float | None) -> str:
    return "" if value is None or not isfinite(value) else f"{value:.12g}"
