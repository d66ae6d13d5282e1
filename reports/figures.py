"""Charts as static SVG, drawn on the host. Colours carry no meaning alone: shapes, dashes and tables repeat it.

Every colour has a contrast of at least 3 against both papers of the page, so that one drawing serves both;
text, axes and gaps take the page's own colours through the classes that Vega writes (see style.css).
"""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd
import vl_convert
from markupsafe import Markup

# Okabe and Ito's hues (Color Universal Design, 2008) at lightnesses that both papers bear.
PALETTE = ("#0072b2", "#d55e00", "#008f68", "#b8608f", "#8a7500", "#6f6fc8", "#7d7d7d")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
DASHES = ((1, 0), (6, 3), (2, 2), (8, 3, 2, 3), (4, 2), (10, 4), (1, 3))
WIDTH = 420  # of the whole drawing, in CSS pixels
ROW = 30
PADDING = {"left": 16, "right": 12, "top": 4, "bottom": 4}  # for readers with wider fonts than the host's

EVERY = "format(datum.value, '~r')"  # a logarithmic axis by itself leaves numbers out

AXIS: dict[str, Any] = {
    "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelLimit": 150, "domain": False,
    "ticks": False, "labelPadding": 6, "titlePadding": 12,
}  # fmt: skip


def forest(rows: pd.DataFrame, names: list[str]) -> Markup:
    """Ratios with intervals on a logarithmic axis. rows: treatment, scope, ratio, low, high (null: no interval)."""
    scopes = list(dict.fromkeys(rows["scope"]))
    base = alt.Chart(_values(rows)).encode(
        y=alt.Y("treatment:N", sort=names, title=None, scale=alt.Scale(domain=names)),
        yOffset=alt.YOffset("scope:N", sort=scopes, scale=alt.Scale(domain=scopes, paddingInner=0.5)),
        color=_coloured("scope", scopes),
    )
    x = alt.Scale(type="log", nice=False, padding=12)
    points = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=alt.X("ratio:Q", scale=x, title="times the reference", axis=alt.Axis(labelExpr=EVERY, tickCount=5)),
        shape=_shaped("scope", scopes),
    )
    ranges = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", scale=x, title=""), x2="high:Q")
    one = alt.Chart(_values(pd.DataFrame({"one": [1]}))).mark_rule(strokeDash=[3, 3], color="#7d7d7d")
    chart = alt.layer(one.encode(x=alt.X("one:Q", title="")), ranges, points)
    return _svg(chart.properties(height=(ROW + 6) * len(names)))


def bars(rows: pd.DataFrame, names: list[str], parts: list[str], title: str) -> Markup:
    """Stacked bars. rows: treatment, part, value."""
    place = {part: index for index, part in enumerate(parts)}
    chart = alt.Chart(_values(rows.assign(place=rows["part"].map(place)))).mark_bar(size=18)
    encoded = chart.encode(
        y=alt.Y("treatment:N", sort=names, title=None),
        x=alt.X("value:Q", title=title, axis=alt.Axis(tickCount=5, format="~r")),
        color=_coloured("part", parts),
        order=alt.Order("place:Q"),
    )
    return _svg(encoded.properties(height=ROW * len(names)))


def lines(rows: pd.DataFrame, names: list[str], title: str) -> Markup:
    """A value per epoch; dashes over solid lines and open marks show even where they coincide.

    rows: treatment, epoch, mean.
    """
    inorder = rows.sort_values("treatment", key=lambda column: column.map(names.index), kind="stable")
    base = alt.Chart(_values(inorder)).encode(
        x=alt.X(
            "epoch:Q", title="epoch", axis=alt.Axis(tickMinStep=1, format="d"), scale=alt.Scale(padding=8)
        ),
        color=_coloured("treatment", names),
    )
    y = alt.Scale(zero=False, padding=8)
    line = base.mark_line(strokeWidth=2).encode(
        y=alt.Y("mean:Q", title=title, scale=y, axis=alt.Axis(tickCount=5)),
        strokeDash=alt.StrokeDash(
            "treatment:N", scale=_scale(names, [list(one) for one in DASHES]), legend=None
        ),
    )
    points = base.mark_point(filled=False, strokeWidth=1.8, size=60, opacity=1).encode(
        y=alt.Y("mean:Q", title=title, scale=y), shape=_shaped("treatment", names)
    )
    return _svg(alt.layer(line, points).properties(height=190))


def dots(rows: pd.DataFrame, names: list[str], title: str) -> Markup:
    """Every run by block. rows: treatment, block, value."""
    chart = alt.Chart(_values(rows)).mark_point(filled=False, strokeWidth=1.8, size=55, opacity=1)
    encoded = chart.encode(
        x=alt.X("block:O", title="block", axis=alt.Axis(labelAngle=0, labelOverlap=True, grid=False)),
        xOffset=alt.XOffset("treatment:N", sort=names),
        y=alt.Y(
            "value:Q",
            title=title,
            axis=alt.Axis(tickCount=5, format="~r"),
            scale=alt.Scale(zero=False, padding=8),
        ),
        color=_coloured("treatment", names),
        shape=_shaped("treatment", names),
    )
    return _svg(encoded.properties(height=190))


def _values(rows: pd.DataFrame) -> Any:
    """Plain values; what is not finite is no number in JSON."""
    clean = rows.astype(object).where(rows.notna(), None).replace([float("inf"), float("-inf")], None)
    records: Any = clean.to_dict("records")
    return alt.InlineData(values=records)


def _scale(names: list[str], choices: Any) -> alt.Scale:
    return alt.Scale(domain=names, range=[choices[i % len(choices)] for i in range(len(names))])


def _legend() -> alt.Legend:
    gaps: dict[str, Any] = {"columnPadding": 34, "rowPadding": 4, "offset": 12}
    return alt.Legend(
        title=None, orient="bottom", columns=2, labelLimit=170, symbolOpacity=1, symbolDash=[1, 0], **gaps
    )


def _coloured(field: str, names: list[str]) -> alt.Color:
    return alt.Color(f"{field}:N", scale=_scale(names, PALETTE), legend=_legend())


def _shaped(field: str, names: list[str]) -> alt.Shape:
    return alt.Shape(f"{field}:N", scale=_scale(names, SHAPES), legend=_legend())


def _svg(chart: Any) -> Markup:
    """Vega escapes every text; no clipping, since the names of clip paths would meet on the page."""
    fit = alt.AutoSizeParams(type="fit-x", contains="padding")
    sized = chart.properties(width=WIDTH, autosize=fit)
    sized = sized.configure(aria=False, background="transparent", padding=PADDING).configure_view(stroke=None)
    sized = sized.configure_legend(labelFontSize=12, symbolSize=70).configure_axis(**AXIS)
    return Markup(vl_convert.vegalite_to_svg(sized.to_dict()))
