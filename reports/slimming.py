"""Fewer bytes for the same picture: a page holds a hundred charts, and a pixel needs no seventeen digits."""

from __future__ import annotations

import re
from typing import Any

BY_COLUMN = "byColumn"  # page.js knows this name
DIGITS = 6  # of a number in a chart's data; the tables have each exactly

TAG = re.compile(r"<[^>]*>")  # Vega escapes what is not markup, so that a text never holds one
# The chart as a whole is one image with a label; its parts need no roles. Hit tests need no answer from a drawing.
UNUSED = re.compile(
    r""" (?:role|aria-[a-z]+|pointer-events)="[^"]*"| font-family="sans-serif"| opacity="1\""""
)
LONG = re.compile(r"(\.\d)\d+(?!\d*e)")
EMPTY = re.compile(r'<path class="(?:background|foreground)" d=""[^>]*/>')


def slim_svg(svg: str) -> str:
    """Tenths of a pixel, and no attribute that the page does not use; texts stay as they are."""
    short = TAG.sub(lambda found: LONG.sub(r"\1", UNUSED.sub("", found[0])), svg)
    return EMPTY.sub("", short)


def packed(part: Any) -> Any:
    """A specification as page.js takes it: rows of data by columns, floats in DIGITS significant digits."""
    if isinstance(part, float):
        return float(f"{part:.{DIGITS}g}")
    if isinstance(part, dict):
        return {key: packed(value) for key, value in part.items()}
    if not isinstance(part, list):
        return part
    return {BY_COLUMN: _columns(part)} if _alike(part) else [packed(value) for value in part]


def _alike(rows: list[Any]) -> bool:
    """Rows of one table: plain values under the same names."""
    if len(rows) < 2 or not all(isinstance(row, dict) for row in rows):
        return False
    plain = not any(isinstance(value, dict | list) for row in rows for value in row.values())
    return plain and all(row.keys() == rows[0].keys() for row in rows)


def _columns(rows: list[Any]) -> dict[str, Any]:
    return {name: [packed(row[name]) for row in rows] for name in rows[0]}
