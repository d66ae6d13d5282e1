"""A printed number beside ours, and a reproduction: cells, and what the raw files say that the text does not."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from math import isfinite
from pathlib import Path
from typing import Protocol

import pandas as pd

from harness.studies.matching import NOISE, Printed, rule

CELL_COLUMNS = ["table", "row", "column", "published", "ours", "unit", "match", "rule"]
NOT_AT_HAND, NOT_COMPARED = "not at hand", "not compared"
YES, NO = "yes", "no"


@dataclass(frozen=True)
class PrintedCell:
    """One cell of a table. `published` is None where the printed value is not at hand.

    `within`: how far ours may be off where the printed value is itself a sum of rounded ones. `folded`: the printed one
    may be max(A, 1 - A). `decimals`: of the whole column, where a number that ends in 0 shows fewer. `compared` is
    false where ours is not meant to be the printed number.
    """

    table: str
    row: str
    column: str
    published: Printed | None
    ours: float | None
    unit: str
    within: float = 0.0
    folded: bool = False
    decimals: int = 0
    compared: bool = True

    @property
    def rule(self) -> str:
        """By which rule ours is the printed number (harness.studies.matching); empty where by none."""
        if self.published is None or self.ours is None or not self.compared:
            return ""
        if found := rule(self.published.with_decimals(self.decimals), self.ours, self.folded):
            return found
        room = self.within + NOISE * abs(self.published.value)
        return f"within {self.within:g}" if abs(self.ours - self.published.value) <= room else ""

    @property
    def printed(self) -> str:
        """As it stands in print; empty where it is not at hand."""
        return self.published.text if self.published else ""

    @property
    def match(self) -> str:
        if self.published is None:
            return NOT_AT_HAND
        if not self.compared:
            return NOT_COMPARED
        return YES if self.rule else NO


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
    cells: tuple[PrintedCell, ...]
    audit: tuple[Remark, ...]
    notes: tuple[str, ...] = ()

    def frame(self) -> pd.DataFrame:
        """CELL_COLUMNS; an unknown number is an empty cell."""
        rows = [
            (one.table, one.row, one.column, one.printed, _text(one.ours), one.unit, one.match, one.rule)
            for one in self.cells
        ]
        return pd.DataFrame(rows, columns=CELL_COLUMNS)


class Study(Protocol):
    NAME: str
    SUMMARY: str
    NEEDS_FILES: bool

    def reproduce(self, path: Path | None) -> Reproduction: ...


def printed(name: str) -> pd.DataFrame:
    """A table of printed numbers from data/, as text: the digits that were printed count."""
    text = (files("harness.studies") / "data" / name).read_text(encoding="utf-8")
    return pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)


def printed_numbers(name: str) -> pd.DataFrame:
    """As `printed`, with its column `published` as numbers."""
    table = printed(name)
    return table.assign(published=table["published"].astype(float))


def disagreeing(cells: Iterable[PrintedCell]) -> list[PrintedCell]:
    return [one for one in cells if one.match == NO]


def compared(cells: Sequence[PrintedCell]) -> str:
    """E.g. "44 of 48 cells match (3 exact, 41 cut)"."""
    judged = [one for one in cells if one.match in (YES, NO)]
    rules = Counter(one.rule for one in judged if one.rule)
    named = ", ".join(f"{number} {name}" for name, number in rules.most_common())
    return f"{rules.total()} of {len(judged)} cells match" + (f" ({named})" if named else "")


def _text(value: float | None) -> str:
    return "" if value is None or not isfinite(value) else f"{value:.12g}"
