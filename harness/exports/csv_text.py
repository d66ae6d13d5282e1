"""CSV that a spreadsheet shows and never carries out: before what it would take for a formula stands an apostrophe.

https://owasp.org/www-community/attacks/CSV_Injection
"""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

WIDE = "\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}\N{FULLWIDTH HYPHEN-MINUS}\N{FULLWIDTH COMMERCIAL AT}"
FORMULA = re.compile(rf"[\s\0\ufeff]*[-=+@{WIDE}]|[\t\r]")


def as_text(frame: pd.DataFrame) -> str:
    """A header and a line a row; numbers are written as they are, so that they read back exactly."""
    shown = frame.rename(columns=_harmless)
    texts = [number for number, kind in enumerate(frame.dtypes) if not pd.api.types.is_numeric_dtype(kind)]
    for number in texts:
        shown.isetitem(number, [_harmless(cell) for cell in frame.iloc[:, number]])
    return str(shown.to_csv(index=False, lineterminator="\n"))


def _harmless(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    text = re.sub("\r\n?", "\n", cell)  # outside of quotes, as pandas leaves it, a return would begin a row
    return f"'{text}" if FORMULA.match(cell) else text
