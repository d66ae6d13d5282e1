"""The kinds of charts. Each takes a frame with the numbers as they are to be shown, in the unit of the axis title."""

from __future__ import annotations

from typing import Any

import pandas as pd

from reports.drawing import Drawing, drawn, inline
from reports.theme import HEIGHT, ROW, coloured, dashed, greyed, marked, shaped, told
from reports.ticks import ratio_ticks, whole_ticks
from reports.vega_lite import Chart, Part, channel, end

EVERY = "format(datum.value, '~r')"  # a logarithmic axis by itself leaves numbers out
ONE = "#7d7d7d"
BEYOND = 3.0  # times the outermost ratio: so far a bar may go
LANE = 9  # of one framework within a row of all work


def forest(
    rows: pd.DataFrame,
    names: list[str],
    title: str = "times the reference",
    margin: float = 0.0,
    blocks: pd.DataFrame | None = None,
    of_frameworks: bool = False,
) -> Drawing:
    """Ratios with intervals on a logarithmic axis. rows: treatment, scope, ratio, low, high (null: no interval).

    `margin`: the smallest difference that matters, drawn as a band around 1; 0: none is. `blocks`: the ratio of each,
    as small marks; treatment, scope, place ("block 3"), times. `of_frameworks`: a scope is one, in its own colour.
    """
    scopes, shown, domain = list(dict.fromkeys(rows["scope"])), *_spanned(rows, blocks)
    colour, shape = (coloured, shaped) if of_frameworks else (greyed, marked)
    lanes: dict[str, Any] = {
        "y": channel("treatment:N", sort=names, title=None, scale=dict(domain=names)),
        "yOffset": channel("scope:N", sort=scopes, scale=dict(domain=scopes, paddingInner=0.5)),
        "color": colour("scope", scopes),
    }
    tooltip = told("treatment", "scope", ratio="ratio", low="lower end", high="upper end")
    base = Chart(inline(shown)).encode(**lanes, tooltip=tooltip)
    ticks = None if blocks is None else _ticks(blocks, domain, lanes)
    layers = _around_one(base, domain, title, margin, shape=shape("scope", scopes), ticks=ticks)
    return drawn(*layers, height=(ROW + 6) * len(names))


def overview(rows: pd.DataFrame, works: list[str], names: list[str], title: str, margin: float) -> Drawing:
    """`forest` of all work: a row for each, within it the frameworks. rows: work, treatment, ratio, low, high."""
    shown, domain = _spanned(rows)
    base = Chart(inline(shown)).encode(
        y=channel("work:N", sort=works, title=None, scale=dict(domain=works), axis=dict(grid=True)),
        yOffset=channel("treatment:N", sort=names, scale=dict(domain=names, paddingOuter=0.7)),
        color=coloured("treatment", names),
        tooltip=told("work", "treatment", ratio="ratio", low="lower end", high="upper end"),
    )
    layers = _around_one(base, domain, title, margin, shape=shaped("treatment", names), size=40)
    return drawn(*layers, height=max(ROW, (LANE * (len(names) + 1))) * len(works))


def _around_one(
    base: Any,
    domain: tuple[float, float],
    title: str,
    margin: float,
    shape: Part,
    size: int = 70,
    ticks: Any = None,
) -> list[Any]:
    """The margin's band and a line at 1, below intervals and points; `ticks` between them.

    A point without an interval is hollow.
    """
    x = dict(type="log", nice=False, domain=list(domain))
    axis = dict(labelExpr=EVERY, values=ratio_ticks(*domain))
    points = base.mark("point", filled=True, size=size, opacity=1, strokeWidth=1.5).encode(
        x=channel("ratio:Q", scale=x, title=title, axis=axis),
        shape=shape,
        stroke=base.encoding["color"],
        fillOpacity={"condition": {"test": "isValid(datum.low)", "value": 1}, "value": 0},
    )
    ranges = base.mark("rule", strokeWidth=2).encode(x=channel("begin:Q", scale=x, title=""), x2=end("end"))
    ends = {"one": [1.0], "from": [max(1 / (1 + margin), domain[0])], "to": [min(1 + margin, domain[1])]}
    one = Chart(inline(pd.DataFrame(ends)))
    line = one.mark("rule", strokeDash=[3, 3], color=ONE).encode(x=channel("one:Q", scale=x, title=""))
    band = one.mark("rect", color=ONE, opacity=0.18).encode(
        x=channel("from:Q", scale=x, title=""), x2=end("to")
    )
    below = [*([band] if margin else []), line, *([] if ticks is None else [ticks])]
    return [*below, ranges, points]


def _ticks(blocks: pd.DataFrame, domain: tuple[float, float], lanes: dict[str, Any]) -> Any:
    """What lies beyond the axis is not drawn at its end, as if it were there."""
    shown = blocks[blocks["times"].between(*domain)]
    x = channel("times:Q", scale=dict(type="log", nice=False, domain=list(domain)), title="")
    tooltip = told("treatment", "scope", "place", times="ratio")
    marks = Chart(inline(shown)).mark("point", shape="stroke", angle=90, size=160, strokeWidth=1.5, opacity=1)
    return marks.encode(x=x, **lanes, tooltip=tooltip)


def _spanned(
    rows: pd.DataFrame, blocks: pd.DataFrame | None = None
) -> tuple[pd.DataFrame, tuple[float, float]]:
    """With `begin` and `end` of each bar, and the ends of the axis.

    A bar without an interval is as short as its point. One that is much longer than the ratios lie apart ends at the
    axis' end, so that it does not push the others together.
    """
    whole = rows.astype({"low": float, "high": float})
    least, most = min(whole["ratio"].min(), 1.0), max(whole["ratio"].max(), 1.0)
    begin = whole["low"].fillna(whole["ratio"]).clip(lower=least / BEYOND)
    end = whole["high"].fillna(whole["ratio"]).clip(upper=most * BEYOND)
    inside = (
        pd.Series(dtype="float64") if blocks is None else blocks["times"].clip(least / BEYOND, most * BEYOND)
    )
    low, high = min([begin.min(), least, *inside]), max([end.max(), most, *inside])
    edge = max((high / low) ** 0.04, 1.002)
    return whole.assign(begin=begin, end=end), (float(low / edge), float(high * edge))


def lines(rows: pd.DataFrame, names: list[str], title: str) -> Drawing:
    """A value per epoch; dashes over solid lines and open marks show even where they coincide.

    rows: treatment, epoch, mean.
    """
    inorder = rows.sort_values("treatment", key=lambda column: column.map(names.index), kind="stable")
    base = Chart(inline(inorder)).encode(
        x=channel(
            "epoch:Q",
            title="epoch",
            axis=dict(values=whole_ticks(rows["epoch"].to_numpy(dtype="float64")), format="d"),
            scale=dict(padding=8),
        ),
        y=channel("mean:Q", title=title, scale=dict(zero=False, padding=8), axis=dict(tickCount=5)),
        color=coloured("treatment", names),
        tooltip=told("treatment", epoch="epoch", mean=title),
    )
    line = base.mark("line", strokeWidth=2).encode(strokeDash=dashed("treatment", names))
    points = base.mark("point", filled=False, strokeWidth=1.8, size=60, opacity=1).encode(
        shape=shaped("treatment", names)
    )
    return drawn(line, points, height=HEIGHT)


def dots(rows: pd.DataFrame, names: list[str], title: str) -> Drawing:
    """Every run by block. rows: treatment, block, value."""
    chart = Chart(inline(rows)).mark("point", filled=False, strokeWidth=1.8, size=55, opacity=1)
    y = dict(zero=False, padding=8)
    encoded = chart.encode(
        x=channel("block:O", title="block", axis=dict(labelAngle=0, labelOverlap=True, grid=False)),
        xOffset=channel("treatment:N", sort=names),
        y=channel("value:Q", title=title, axis=dict(tickCount=5, format="~r"), scale=y),
        color=coloured("treatment", names),
        shape=shaped("treatment", names),
        tooltip=told("treatment", block="block", value=title),
    )
    return drawn(encoded, height=HEIGHT)
