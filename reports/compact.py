"""Numbers of a chart to the digits that can be seen: the page's tables have them all."""

from __future__ import annotations

from typing import Any

import pandas as pd

from reports.drawing import inline

DIGITS = 6  # significant: an axis that zooms in further would show nothing but the rounding of floats
LABEL = f".{DIGITS}~r"  # of an axis: d3 by itself writes 0.5 where all that there is lies at 0.53


def compact(rows: pd.DataFrame) -> Any:
    """Inline data of the rows, in their order."""
    floats = rows.select_dtypes("float").columns
    return inline(rows.assign(**{name: rows[name].map(_rounded) for name in floats}))


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
