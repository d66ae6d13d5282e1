"""Which quantities go together: a mark for each pair, larger for a closer tie."""

from __future__ import annotations

import pandas as pd

from reports.compact import compact
from reports.drawing import Drawing, drawn
from reports.theme import ROW, greyed, marked, told
from reports.vega_lite import Chart, channel

SIGNS = ["rise together", "one rises, one falls"]
LARGEST = 460  # square pixels, of a perfect correlation


def correlogram(rows: pd.DataFrame, titles: list[str]) -> Drawing:
    """rows: one, other, rho from -1 to 1, p_holm; `titles` in the order of the axes."""
    shown = rows.assign(sign=[SIGNS[int(rho < 0)] for rho in rows["rho"]], size=rows["rho"].abs())
    marks = Chart(compact(shown)).mark("point", filled=True, opacity=1)
    encoded = marks.encode(
        x=channel(
            "one:N",
            title=None,
            scale=dict(domain=titles[:-1]),
            axis=dict(labelAngle=-35, orient="top"),
        ),
        y=channel("other:N", title=None, scale=dict(domain=titles[1:])),
        size=channel("size:Q", scale=dict(domain=[0, 1], range=[0, LARGEST]), legend=None),
        color=greyed("sign", SIGNS),
        shape=marked("sign", SIGNS),
        tooltip=told("one", "other", rho="Spearman's rho", p_holm="p, corrected"),
    )
    return drawn(encoded, height=ROW * len(titles))
