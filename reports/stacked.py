"""Stacked bars: parts of each treatment, one behind the other, and below them how sure each part's length is."""

from __future__ import annotations

import pandas as pd

from reports.drawing import Drawing, drawn, inline
from reports.theme import ROW, greyed, told
from reports.vega_lite import Chart, channel, end

THICK, UP = 13, -6  # of a bar, and how far its middle stands above its row's, in CSS pixels
LANES = (0.3, 0.55, 0.8)  # of a row's half: neighbours' intervals lie beside each other, not on each other
LANE = dict(domain=[-1, 1])


def stacked(rows: pd.DataFrame, names: list[str], parts: list[str], title: str) -> Drawing:
    """rows: treatment, part, value, half (of the width of its interval; null: none is known).

    An interval is drawn where its part ends, and reaches no further back than to where the part begins: no cost is
    below 0.
    """
    shown = _placed(rows, parts)
    base = Chart(inline(shown)).encode(
        y=channel("treatment:N", sort=names, title=None, scale=dict(domain=names)),
        color=greyed("part", parts),
        tooltip=told("treatment", "part", value=title, low="lower end", high="upper end"),
    )
    axis = dict(tickCount=5, format="~r")
    bars = base.mark("bar", size=THICK, yOffset=UP).encode(
        x=channel("value:Q", title=title, axis=axis), order=channel("place:Q")
    )
    ranges = base.mark("rule", strokeWidth=2).encode(
        x=channel("from:Q", title=""), x2=end("to"), yOffset=channel("lane:Q", scale=LANE)
    )
    return drawn(bars, ranges, height=ROW * len(names))


def _placed(rows: pd.DataFrame, parts: list[str]) -> pd.DataFrame:
    """With the place of each part, the ends of its interval, and where these are drawn."""
    place = rows["part"].map({part: index for index, part in enumerate(parts)})
    inorder = rows.assign(place=place).sort_values("place", kind="stable")
    end = inorder.groupby("treatment")["value"].cumsum()
    least = (inorder["value"] - inorder["half"]).clip(lower=0.0)
    whiskers = {"low": least, "high": inorder["value"] + inorder["half"]}
    drawn_at = {"from": end - inorder["value"] + least, "to": end + inorder["half"]}
    lanes = inorder["place"].map(lambda index: LANES[index % len(LANES)])
    return inorder.assign(**whiskers, **drawn_at, lane=lanes).loc[rows.index].drop(columns="half")
