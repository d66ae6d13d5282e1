"""Courses over time with a mark at the end of each epoch."""

from __future__ import annotations

import json
from typing import Any

import altair as alt
import pandas as pd

from reports.compact import LABEL, compact
from reports.decimation import decimated
from reports.drawing import Drawing, drawn
from reports.theme import HEIGHT, coloured, dashed, shaped, told

SLICES = 30  # of time: a page has many of these charts


def timeline(rows: pd.DataFrame, epochs: pd.DataFrame, names: list[str], title: str) -> Drawing:
    """rows: series, t_s, value, in order of time; epochs: series, epoch, t_s, value at the end of each."""
    shown = decimated(rows, "series", "t_s", "value", SLICES)
    line = _at(shown, names, title).mark_line(strokeWidth=1.2).encode(strokeDash=dashed("series", names))
    marks = (
        _at(epochs, names, title)
        .mark_point(filled=False, size=36, strokeWidth=1.5, opacity=1)
        .encode(
            shape=shaped("series", names),
            tooltip=told("series", epoch="epoch", t_s="ends at (s)", value=title),
        )
    )
    layers = [line, marks] if len(epochs) else [line]
    return drawn(*layers, height=HEIGHT)


def _at(data: pd.DataFrame, names: list[str], title: str) -> Any:
    """The names stand once in the chart, not in every row."""
    coded = data.assign(series=data["series"].map(names.index)).rename(columns={"series": "number"})
    named = alt.Chart(compact(coded)).transform_calculate(series=f"{json.dumps(names)}[datum.number]")
    return named.encode(
        x=alt.X(
            "t_s:Q",
            title="time (s)",
            scale=alt.Scale(nice=False),
            axis=alt.Axis(tickCount=6, grid=False, labelFlush=False),
        ),
        y=alt.Y(
            "value:Q",
            title=title,
            axis=alt.Axis(tickCount=5, format=LABEL),
            scale=alt.Scale(zero=False, padding=6),
        ),
        color=coloured("series", names),
    )
