"""CSV files with a header, and for what is wrong in them the line."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from harness.energy.series import Floats, Ints
from harness.importers.base import SourceError
from harness.importers.files.text import step, text_of

SEPARATORS = (",", ";", "\t")
MOST_COLUMNS = 10_000
MOST_LINES = 5_000_000  # a week at ten a second
FIRST_ROW = 2  # the line below the header


@dataclass(frozen=True)
class SourceTable:
    """A table's cells as text, by column; row i stands in line FIRST_ROW + i."""

    path: Path
    header: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]
    separator: str

    def __contains__(self, name: str) -> bool:
        return name in self.header

    def __len__(self) -> int:
        return len(self.columns[0])

    def cells(self, name: str) -> tuple[str, ...]:
        """Raises: SourceError for a column that the file lacks."""
        if name not in self.header:
            raise SourceError(self.path, f"column '{name}' is missing", 1)
        return self.columns[self.header.index(name)]

    def numbers(self, name: str) -> Floats:
        """Where something else parts the columns, a comma is a decimal one."""
        cells = self.cells(name)
        if self.separator != ",":
            cells = tuple(cell.replace(",", ".") for cell in cells)
        try:
            values = np.array(cells, dtype=np.float64)
        except ValueError:
            bad = next(i for i, cell in enumerate(cells) if not _is_number(cell))
            raise SourceError(self.path, f"{name} is '{cells[bad]}', no number", self.line(bad)) from None
        if not np.isfinite(values).all():
            bad = int(np.argmin(np.isfinite(values)))
            raise SourceError(self.path, f"{name} is '{cells[bad]}', no number", self.line(bad))
        return values

    def step(self, name: str) -> float | None:
        """What the last printed digit is worth where a column has most of them; None if any cell was not rounded."""
        cells = self.cells(name)
        if self.separator != ",":
            cells = tuple(cell.replace(",", ".") for cell in cells)
        steps = [step(cell) for cell in cells]
        known = [one for one in steps if one]
        return min(known) if len(known) == len(steps) else None

    def times_ns(self, name: str) -> Ints:
        """Time stamps in ns since 1970, of the file's own clock where they name no zone."""
        cells = pd.Series(self.cells(name))
        try:
            parsed = pd.to_datetime(cells, format="mixed", errors="coerce", utc=True)
        except (ValueError, OverflowError) as error:
            raise SourceError(self.path, f"{name} holds no time stamps: {error}") from error
        wrong = ~parsed.between(pd.Timestamp(0, tz="UTC"), pd.Timestamp("2200-01-01", tz="UTC")).to_numpy()
        if wrong.any():
            bad = int(wrong.argmax())
            raise SourceError(self.path, f"'{cells[bad]}' is no time stamp", self.line(bad))
        return parsed.dt.tz_localize(None).to_numpy().astype("datetime64[ns]").astype(np.int64)

    def line(self, row: int) -> int:
        return FIRST_ROW + row

    def only(self, known: Sequence[str]) -> None:
        """Raises: SourceError for a column that nobody knows: a part of a file is no import of it."""
        patterns = [re.compile(pattern) for pattern in known]
        for name in self.header:
            if not any(pattern.fullmatch(name) for pattern in patterns):
                raise SourceError(self.path, f"unknown column '{name}'", 1)


def table(path: Path) -> SourceTable:
    """A CSV file with a header. Raises: SourceError without rows, or for a row of another length.

    A last line without an end may lack digits as well, and nothing would show it: it is refused.
    """
    text = text_of(path)
    if text.count("\n") + text.count("\r") > MOST_LINES:
        raise SourceError(path, f"more than the {MOST_LINES} lines that are read", 1)
    head, *_ = text.splitlines()
    if not text.endswith(("\n", "\r")):
        raise SourceError(path, "cut short: the last line has no end", len(text.splitlines()))
    separator = max(SEPARATORS, key=head.count)
    rows = _rows(path, text.splitlines(), separator)
    while len(rows) > 1 and not any(rows[-1]):
        rows.pop()
    header = [name.strip() for name in rows[0]]
    if len(header) > MOST_COLUMNS:
        raise SourceError(path, f"{len(header)} columns, more than the {MOST_COLUMNS} that are read", 1)
    if len(set(header)) < len(header):
        raise SourceError(path, "two columns have one name", 1)
    for number_, row in enumerate(rows[1:], 2):
        if len(row) != len(header):
            cause = f"{len(row)} fields, the header has {len(header)}: cut short, or a decimal comma"
            raise SourceError(path, cause, number_)
    if len(rows) < 2:
        raise SourceError(path, "a header without rows", 1)
    columns = tuple(tuple(cell.strip() for cell in column) for column in zip(*rows[1:], strict=True))
    return SourceTable(path, tuple(header), columns, separator)


def _rows(path: Path, text: Sequence[str], separator: str) -> list[list[str]]:
    try:
        return list(csv.reader(text, delimiter=separator, skipinitialspace=True))
    except csv.Error as error:
        raise SourceError(path, f"no CSV: {error}") from error


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
