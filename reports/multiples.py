"""Small multiples: the same bars for each level of a factor, on one scale."""

from __future__ import annotations

import altair as alt
import pandas as pd

from reports.compact import LABEL, compact
from reports.drawing import Drawing, drawn
from reports.theme import HEIGHT, coloured, told


def multiple(
    rows: pd.DataFrame, names: list[str], factor: str, levels: list[str], title: str, top: float
) -> Drawing:
    """Bars side by side for each level. rows: treatment, level, value; `top`: the greatest value of all multiples."""
    bars = alt.Chart(compact(rows.dropna(subset=["value"]))).mark_bar()
    x = alt.X(
        "level:N",
        title=factor,
        scale=alt.Scale(domain=levels, paddingInner=0.25),
        axis=alt.Axis(labelAngle=0),
    )
    y = alt.Y(
        "value:Q", title=title, scale=alt.Scale(domain=[0, top]), axis=alt.Axis(tickCount=5, format=LABEL)
    )
    encoded = bars.encode(
        x=x,
        xOffset=alt.XOffset("treatment:N", scale=alt.Scale(domain=names, paddingInner=0.12)),
        y=y,
        color=coloured("treatment", names),
        tooltip=[*told("treatment"), alt.Tooltip("level:N", title=factor), *told(value=title)],
    )
    return drawn(encoded, height=HEIGHT)
