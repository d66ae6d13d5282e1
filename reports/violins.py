"""Violins: how the runs of each treatment spread, with every run as a point."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from harness.analysis.density import density
from reports.compact import LABEL, compact
from reports.drawing import Drawing, drawn
from reports.theme import coloured, shaped, told
from reports.thinned import marks
from reports.vega_lite import Chart, channel

ROW = 46  # of a violin, in CSS pixels
HALF = 0.9  # of a row's half, that a violin's widest place takes
REACH = 0.6  # of a row's half, that the first and the last run keep from the middle
OFFSET = dict(domain=[-1, 1])


def violins(runs: pd.DataFrame, medians: Mapping[str, float], names: list[str], title: str) -> Drawing:
    """A row per treatment. runs: treatment, run, order (1 for the treatment's first run), value."""
    known = runs.dropna(subset=["value"])
    middles = pd.DataFrame({"treatment": list(medians), "value": list(medians.values()), "place": 0.0})
    tick = _rows(middles, names, title).mark("tick", thickness=3, size=0.7 * ROW, opacity=1)
    layers = [*_shapes(known, names, title), tick, _points(known, marks(known), names, title)]
    return drawn(*layers, height=ROW * len(names))


def _rows(data: pd.DataFrame, names: list[str], title: str) -> Any:
    """`place`: where in its row a mark stands, from -1 at the upper end to 1."""
    axis = dict(tickCount=5, format=LABEL, labelOverlap=True)
    return Chart(compact(data)).encode(
        x=channel("value:Q", title=title, scale=dict(zero=False, padding=10), axis=axis),
        y=channel("treatment:N", title=None, scale=dict(domain=names), axis=dict(grid=False)),
        yOffset=channel("place:Q", scale=OFFSET),
        color=coloured("treatment", names, legend=False),
    )


def _points(runs: pd.DataFrame, drawn: pd.DataFrame, names: list[str], title: str) -> Any:
    """In the order in which the treatment's runs ran, so that a drift leans; `drawn`: those of them that are shown."""
    last = drawn["treatment"].map(runs.groupby("treatment")["order"].max())
    place = REACH * (2 * (drawn["order"] - 1) / (last - 1).where(last > 1) - 1)
    points = _rows(drawn.assign(place=place.fillna(0.0)), names, title)
    return points.mark("point", filled=False, size=34, strokeWidth=1.5, opacity=1).encode(
        shape=shaped("treatment", names, legend=False),
        tooltip=told("treatment", "run", order="order of its runs", value=title),
    )


def _shapes(runs: pd.DataFrame, names: list[str], title: str) -> list[Any]:
    """One layer of closed outlines; none where no treatment has a shape."""
    shapes = {name: density(runs.loc[runs["treatment"] == name, "value"]) for name in names}
    outlines = [_outline(shape).assign(treatment=name) for name, shape in shapes.items() if len(shape)]
    if not outlines:
        return []
    rows = _rows(pd.concat(outlines), names, title)
    return [rows.mark("line", interpolate="linear-closed", strokeWidth=1.2).encode(order=channel("corner:Q"))]


def _outline(shape: pd.DataFrame) -> pd.DataFrame:
    """From one end of the values to the other, and back below."""
    sides = [shape.assign(place=-HALF * shape["share"]), shape.assign(place=HALF * shape["share"])[::-1]]
    both = pd.concat(sides)[["value", "place"]]
    return both.assign(corner=range(len(both)))
