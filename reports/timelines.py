"""Courses over time: a band of all that was read around its mean, with a mark where each epoch and each phase is."""

from __future__ import annotations

import json
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from reports.bands import banded
from reports.compact import LABEL, compact
from reports.drawing import Drawing, drawn
from reports.theme import HEIGHT, coloured, dashed, shaped, told

SLICES = 60  # of time: a page has many of these charts
BAND = 0.22  # its opacity: several lie on each other
BEGINS = {"filled": False, "shape": "stroke", "angle": 90, "size": 130, "strokeWidth": 2, "opacity": 1}


def timeline(
    rows: pd.DataFrame, epochs: pd.DataFrame, phases: pd.DataFrame, names: list[str], title: str
) -> Drawing:
    """rows: series, t_s, value, in order of time; epochs: series, epoch, t_s at the end of each.

    phases: series, phase, t_s where each first begins. Their marks lie on the line.
    """
    shown = banded(rows, "series", "t_s", "value", SLICES)
    epochs, phases = _on(shown, epochs), _on(shown, phases)
    base = _at(shown, names)
    low, mean = (
        alt.Y(f"{end}:Q", title=heading, **_scale()) for end, heading in (("low", ""), ("mean", title))
    )
    band = base.mark_area(opacity=BAND, line=False).encode(y=low, y2=alt.Y2("high:Q"))
    line = base.mark_line(strokeWidth=1.4).encode(y=mean, strokeDash=dashed("series", names))
    at = alt.Y("value:Q", title="", **_scale())
    ends = (
        _at(epochs, names)
        .mark_point(filled=False, size=36, strokeWidth=1.5, opacity=1)
        .encode(
            y=at,
            shape=shaped("series", names),
            tooltip=told("series", epoch="epoch", t_s="ends at (s)", value=title),
        )
    )
    begins = (
        _at(phases, names)
        .mark_point(**BEGINS)
        .encode(y=at, tooltip=told("series", "phase", t_s="begins at (s)", value=title))
    )
    layers = [band, line, *([begins] if len(phases) else []), *([ends] if len(epochs) else [])]
    return drawn(*layers, height=HEIGHT)


def _on(shown: pd.DataFrame, marks: pd.DataFrame) -> pd.DataFrame:
    """Marks with the line's `value` at their times."""
    lines = {str(name): (one["t_s"], one["mean"]) for name, one in shown.groupby("series", sort=False)}
    at = zip(marks["series"], marks["t_s"], strict=True)
    values = [np.interp(t_s, *lines[series]) for series, t_s in at]
    return marks.assign(value=np.asarray(values, dtype=float))


def _scale() -> dict[str, Any]:
    return {"axis": alt.Axis(tickCount=5, format=LABEL), "scale": alt.Scale(zero=False, padding=6)}


def _at(data: pd.DataFrame, names: list[str]) -> Any:
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
        color=coloured("series", names),
    )
