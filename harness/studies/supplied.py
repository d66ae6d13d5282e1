"""Printed values that are not at hand, from whoever holds the paper: the CSV that a reproduction prints, filled in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from harness.importers.base import SourceError
from harness.importers.files.tables import Table, table
from harness.studies.base import CELL_COLUMNS, Cell, Reproduction

Key = tuple[str, str, str]


def with_printed(found: Reproduction, path: Path) -> Reproduction:
    """The reproduction with the values of `path` where it has none of its own.

    The columns table, row and column name a cell; what is left empty stays open. A supplied value matches within one
    unit of its last digit, be it rounded or cut. Raises: SourceError for a row that names no cell, or no number.
    """
    rows = table(path)
    rows.only(CELL_COLUMNS)
    supplied = _values(rows, {_key(one) for one in found.cells})
    return replace(found, cells=tuple(_filled(one, supplied.get(_key(one))) for one in found.cells))


def _values(rows: Table, known: set[Key]) -> dict[Key, str]:
    names = zip(*(rows.cells(name) for name in ("table", "row", "column")), strict=True)
    found: dict[Key, str] = {}
    for row, (key, text) in enumerate(zip(names, rows.cells("published"), strict=True)):
        if key not in known:
            raise SourceError(rows.path, f"no cell is named {', '.join(key)}", rows.line(row))
        if text:
            found[key] = _number(rows, row, text)
    return found


def _number(rows: Table, row: int, text: str) -> str:
    try:
        float(text)
    except ValueError as error:
        raise SourceError(rows.path, f"published is '{text}', no number", rows.line(row)) from error
    return text


def _key(one: Cell) -> Key:
    return one.table, one.row, one.column


def _filled(one: Cell, text: str | None) -> Cell:
    if text is None or one.published is not None:
        return one
    decimals = len(text.partition(".")[2])
    return replace(one, published=float(text), within=10.0**-decimals)
