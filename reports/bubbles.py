"""Bubbles: what is gained against what it costs, with the front that nothing beats."""

from __future__ import annotations

from typing import Any

import pandas as pd

from reports.compact import LABEL, compact
from reports.drawing import Drawing, drawn
from reports.theme import HEIGHT, coloured, shaped, told
from reports.vega_lite import Chart, channel

WIDE = 8.0  # times the least: values that far apart share a logarithmic axis
AREAS = [40, 520]  # of the least and the greatest bubble, in square pixels
FRONT = "#7d7d7d"


def bubbles(rows: pd.DataFrame, names: list[str], titles: dict[str, str]) -> Drawing:
    """rows: treatment, setting, cost, gain, size, front (whether on it); titles of cost, gain and size."""
    front = rows[rows["front"]].sort_values("cost")
    line = _at(front[["cost", "gain"]], rows, titles).mark(
        "line", interpolate="step-after", strokeDash=[4, 3], strokeWidth=1.4, color=FRONT
    )
    return drawn(line, _bubbles(rows, names, titles), height=1.4 * HEIGHT)


def _at(data: pd.DataFrame, rows: pd.DataFrame, titles: dict[str, str]) -> Any:
    """All layers have the axes that all rows need."""
    wide = bool(rows["cost"].max() > WIDE * rows["cost"].min() > 0)
    scale = dict(type="log", nice=False, padding=22) if wide else dict(zero=False, padding=22)
    axis = dict(tickCount=5, format=LABEL, labelOverlap=True, grid=not wide)
    return Chart(compact(data)).encode(
        x=channel("cost:Q", title=titles["cost"], scale=scale, axis=axis),
        y=channel(
            "gain:Q",
            title=titles["gain"],
            scale=dict(zero=False, padding=18),
            axis=dict(tickCount=5, format=LABEL),
        ),
    )


def _bubbles(rows: pd.DataFrame, names: list[str], titles: dict[str, str]) -> Any:
    """The greatest are drawn first, so that none hides another."""
    shown = rows.sort_values("size", ascending=False)
    bubble = _at(shown, rows, titles).mark("point", filled=False, strokeWidth=1.8, opacity=1)
    return bubble.encode(
        color=coloured("treatment", names),
        shape=shaped("treatment", names),
        size=channel("size:Q", scale=dict(range=AREAS, zero=True), legend=None),
        tooltip=told("treatment", "setting", **titles),
    )
