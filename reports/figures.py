"""The kinds of charts. Each takes a frame with the numbers as they are to be shown, in the unit of the axis title."""

from __future__ import annotations

import altair as alt
import pandas as pd

from reports.drawing import Drawing, drawn, inline
from reports.theme import HEIGHT, ROW, coloured, dashed, shaped, told

EVERY = "format(datum.value, '~r')"  # a logarithmic axis by itself leaves numbers out
ONE = "#7d7d7d"


def forest(rows: pd.DataFrame, names: list[str], title: str = "times the reference") -> Drawing:
    """Ratios with intervals on a logarithmic axis. rows: treatment, scope, ratio, low, high (null: no interval)."""
    scopes = list(dict.fromkeys(rows["scope"]))
    whole = rows.astype({"low": float, "high": float})  # a bar without an interval is as short as its point
    shown = whole.assign(begin=whole["low"].fillna(whole["ratio"]), end=whole["high"].fillna(whole["ratio"]))
    base = alt.Chart(inline(shown)).encode(
        y=alt.Y("treatment:N", sort=names, title=None, scale=alt.Scale(domain=names)),
        yOffset=alt.YOffset("scope:N", sort=scopes, scale=alt.Scale(domain=scopes, paddingInner=0.5)),
        color=coloured("scope", scopes),
        tooltip=told("treatment", "scope", ratio="ratio", low="lower end", high="upper end"),
    )
    x = alt.Scale(type="log", nice=False, padding=12)
    points = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=alt.X("ratio:Q", scale=x, title=title, axis=alt.Axis(labelExpr=EVERY, tickCount=5)),
        shape=shaped("scope", scopes),
    )
    ranges = base.mark_rule(strokeWidth=2).encode(x=alt.X("begin:Q", scale=x, title=""), x2="end:Q")
    one = alt.Chart(inline(pd.DataFrame({"one": [1]}))).mark_rule(strokeDash=[3, 3], color=ONE)
    chart = alt.layer(one.encode(x=alt.X("one:Q", title="")), ranges, points)
    return drawn(chart.properties(height=(ROW + 6) * len(names)))


def bars(rows: pd.DataFrame, names: list[str], parts: list[str], title: str) -> Drawing:
    """Stacked bars. rows: treatment, part, value."""
    place = {part: index for index, part in enumerate(parts)}
    chart = alt.Chart(inline(rows.assign(place=rows["part"].map(place)))).mark_bar(size=18)
    encoded = chart.encode(
        y=alt.Y("treatment:N", sort=names, title=None),
        x=alt.X("value:Q", title=title, axis=alt.Axis(tickCount=5, format="~r")),
        color=coloured("part", parts),
        order=alt.Order("place:Q"),
        tooltip=told("treatment", "part", value=title),
    )
    return drawn(encoded.properties(height=ROW * len(names)))


def lines(rows: pd.DataFrame, names: list[str], title: str) -> Drawing:
    """A value per epoch; dashes over solid lines and open marks show even where they coincide.

    rows: treatment, epoch, mean.
    """
    inorder = rows.sort_values("treatment", key=lambda column: column.map(names.index), kind="stable")
    base = alt.Chart(inline(inorder)).encode(
        x=alt.X(
            "epoch:Q", title="epoch", axis=alt.Axis(tickMinStep=1, format="d"), scale=alt.Scale(padding=8)
        ),
        y=alt.Y("mean:Q", title=title, scale=alt.Scale(zero=False, padding=8), axis=alt.Axis(tickCount=5)),
        color=coloured("treatment", names),
        tooltip=told("treatment", epoch="epoch", mean=title),
    )
    line = base.mark_line(strokeWidth=2).encode(strokeDash=dashed("treatment", names))
    points = base.mark_point(filled=False, strokeWidth=1.8, size=60, opacity=1).encode(
        shape=shaped("treatment", names)
    )
    return drawn(alt.layer(line, points).properties(height=HEIGHT))


def dots(rows: pd.DataFrame, names: list[str], title: str) -> Drawing:
    """Every run by block. rows: treatment, block, value."""
    chart = alt.Chart(inline(rows)).mark_point(filled=False, strokeWidth=1.8, size=55, opacity=1)
    y = alt.Scale(zero=False, padding=8)
    encoded = chart.encode(
        x=alt.X("block:O", title="block", axis=alt.Axis(labelAngle=0, labelOverlap=True, grid=False)),
        xOffset=alt.XOffset("treatment:N", sort=names),
        y=alt.Y("value:Q", title=title, axis=alt.Axis(tickCount=5, format="~r"), scale=y),
        color=coloured("treatment", names),
        shape=shaped("treatment", names),
        tooltip=told("treatment", block="block", value=title),
    )
    return drawn(encoded.properties(height=HEIGHT))
