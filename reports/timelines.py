"""Courses over time: a band of all that was read around its mean, with a mark where each epoch and each phase is."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd

from reports.bands import banded
from reports.compact import LABEL, compact
from reports.drawing import Drawing, drawn
from reports.theme import HEIGHT, coloured, dashed, shaped, told
from reports.vega_lite import Chart, channel, end

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
        channel(f"{edge}:Q", title=heading, **_scale()) for edge, heading in (("low", ""), ("mean", title))
    )
    band = base.mark("area", opacity=BAND, line=False).encode(y=low, y2=end("high"))
    line = base.mark("line", strokeWidth=1.4).encode(y=mean, strokeDash=dashed("series", names))
    at = channel("value:Q", title="", **_scale())
    ends = (
        _at(epochs, names)
        .mark("point", filled=False, size=36, strokeWidth=1.5, opacity=1)
        .encode(
            y=at,
            shape=shaped("series", names),
            tooltip=told("series", epoch="epoch", t_s="ends at (s)", value=title),
        )
    )
    begins = (
        _at(phases, names)
        .mark("point", **BEGINS)
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
    return {"axis": dict(tickCount=5, format=LABEL), "scale": dict(zero=False, padding=6)}


def _at(data: pd.DataFrame, names: list[str]) -> Any:
    """The names stand once in the chart, not in every row."""
    coded = data.assign(series=data["series"].map(names.index)).rename(columns={"series": "number"})
    named = Chart(compact(coded)).calculate(series=f"{json.dumps(names)}[datum.number]")
    return named.encode(
        x=channel(
            "t_s:Q",
            title="time (s)",
            scale=dict(nice=False),
            axis=dict(tickCount=6, grid=False),
        ),
        color=coloured("series", names),
    )
