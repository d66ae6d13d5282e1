"""Numbers of a chart as CSV inside its specification: a third of what records take."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

DIGITS = 5  # significant; the tables of the page have the exact values


def compact(rows: pd.DataFrame) -> Any:
    """Inline data of the rows, in their order; what is unknown or not finite is an empty cell, which reads as null."""
    numbers = rows.select_dtypes("number").columns
    kinds = {name: "number" if name in numbers else "string" for name in rows.columns}
    clean = rows.replace([float("inf"), float("-inf")], float("nan"))
    text = clean.to_csv(index=False, float_format=f"%.{DIGITS}g", lineterminator="\n")
    return alt.InlineData(values=text, format=alt.CsvDataFormat(type="csv", parse=kinds))
