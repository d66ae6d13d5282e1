"""Printed values that are not at hand, from whoever holds the paper: the CSV that a reproduction prints, filled in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from harness.importers.base import SourceError
from harness.importers.files.tables import SourceTable, table
from harness.studies.base import CELL_COLUMNS, PrintedCell, Reproduction
from harness.studies.matching import LONGEST, Printed

Key = tuple[str, str, str]


def with_printed(found: Reproduction, path: Path) -> Reproduction:
    """The reproduction with the values of `path` where it has none of its own.

    The columns table, row and column name a cell; what is left empty stays open. A supplied value is a number or a
    bound such as `<0.001`; harness.studies.matching says when ours is it. Raises: SourceError for a row that names no
    cell, or no number.
    """
    rows = table(path)
    rows.only(CELL_COLUMNS)
    supplied = _values(rows, {_key(one) for one in found.cells})
    return replace(found, cells=tuple(_filled(one, supplied.get(_key(one))) for one in found.cells))


def _values(rows: SourceTable, known: set[Key]) -> dict[Key, Printed]:
    names = zip(*(rows.cells(name) for name in ("table", "row", "column")), strict=True)
    found: dict[Key, Printed] = {}
    for row, (key, text) in enumerate(zip(names, rows.cells("published"), strict=True)):
        if key not in known:
            raise SourceError(rows.path, f"no cell is named {', '.join(key)}", rows.line(row))
        if text:
            found[key] = _number(rows, row, text)
    return found


def _number(rows: SourceTable, row: int, text: str) -> Printed:
    try:
        return Printed.of(text)
    except ValueError:
        cause = f"published is '{text[:LONGEST]}', no number and no bound such as <0.001"
        raise SourceError(rows.path, cause, rows.line(row)) from None


def _key(one: PrintedCell) -> Key:
    return one.table, one.row, one.column


def _filled(one: PrintedCell, printed: Printed | None) -> PrintedCell:
    return one if printed is None or one.published is not None else replace(one, published=printed)
