"""Small multiples: the same bars for each level of a factor, on one scale."""

from __future__ import annotations

import pandas as pd

from reports.compact import LABEL, compact
from reports.drawing import Drawing, drawn
from reports.theme import HEIGHT, coloured, told
from reports.vega_lite import Chart, channel


def multiple(
    rows: pd.DataFrame, names: list[str], factor: str, levels: list[str], title: str, top: float
) -> Drawing:
    """Bars side by side for each level. rows: treatment, level, value; `top`: the greatest value of all multiples."""
    bars = Chart(compact(rows.dropna(subset=["value"]))).mark("bar")
    x = channel(
        "level:N",
        title=factor,
        scale=dict(domain=levels, paddingInner=0.25),
        axis=dict(labelAngle=0),
    )
    y = channel("value:Q", title=title, scale=dict(domain=[0, top]), axis=dict(tickCount=5, format=LABEL))
    encoded = bars.encode(
        x=x,
        xOffset=channel("treatment:N", scale=dict(domain=names, paddingInner=0.12)),
        y=y,
        color=coloured("treatment", names),
        tooltip=[*told("treatment"), channel("level:N", title=factor), *told(value=title)],
    )
    return drawn(encoded, height=HEIGHT)
