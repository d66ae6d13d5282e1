"""How charts look. Colours carry no meaning alone: shapes, dashes and tables repeat it.

Every colour has a contrast of at least 3 against both papers of the page, so that one drawing serves both;
text, axes and gaps take the page's own colours through the classes that Vega writes (see style.css).
"""

from __future__ import annotations

from typing import Any

from reports.vega_lite import SCHEMA, Part, channel

# Okabe and Ito's hues (Color Universal Design, 2008) at lightnesses that both papers bear.
PALETTE = ("#0072b2", "#d55e00", "#008f68", "#b8608f", "#8a7500", "#6f6fc8", "#7d7d7d")
# A framework looks alike on every page, whoever else is on it.
OWN = {
    name: place
    for place, name in enumerate(
        ("torch", "tensorflow", "jax", "keras", "sklearn", "keras-jax", "keras-torch")
    )
}
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
# Series that are no frameworks: greys that only the light paper bears, for which style.css has others on dark paper;
# and marks that no framework has: a star, an hourglass, a triangle to the left.
GREYS = ("#2a2a2a", "#3e3e3e", "#535353", "#656565", "#7b7b7b", "#929292")
STAR, HOURGLASS = "M0-1.2L.35-.35 1.2 0 .35.35 0 1.2-.35.35-1.2 0-.35-.35Z", "M-.9-.9H.9L-.9.9H.9Z"
MARKS = (STAR, HOURGLASS, "triangle-left")
DASHES = ((1, 0), (6, 3), (2, 2), (8, 3, 2, 3), (4, 2), (10, 4), (1, 3))
WIDTH = 420  # of the whole drawing, in CSS pixels
ROW = 30
HEIGHT = 190
PADDING = {"left": 24, "right": 12, "top": 4, "bottom": 4}  # for readers with wider fonts than the host's
TITLES = {"treatment": "framework"}
DIGITS = ".4~r"  # of numbers in tooltips

AXIS: dict[str, Any] = {
    "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelLimit": 150, "domain": False,
    "ticks": False, "labelPadding": 6, "titlePadding": 12, "labelFlush": False,
}  # fmt: skip


def style() -> dict[str, Any]:
    """What every chart of the page has in common, at the top of its specification."""
    config = {
        "view": {"continuousWidth": 300, "continuousHeight": 300, "stroke": None}, "aria": False, "axis": AXIS,
        "background": "transparent", "legend": {"labelFontSize": 12, "symbolSize": 70}, "padding": PADDING,
    }  # fmt: skip
    fit = {"type": "fit-x", "contains": "padding"}
    return {"$schema": SCHEMA, "config": config, "autosize": fit}


def scale(names: list[str], choices: Any) -> Part:
    return dict(domain=names, range=[choices[place % len(choices)] for place in places(names)])


def places(names: list[str]) -> list[int]:
    """Of each name its place in a palette: a framework has its own on every page, the others take what is left.

    Of several versions of one framework the first has it.
    """
    own = [OWN.get(name.rpartition(" ")[0] or name) for name in names]
    own = [place if place not in own[:number] else None for number, place in enumerate(own)]
    left = iter([place for place in range(len(PALETTE)) if place not in own] + list(range(len(names))))
    return [next(left) if place is None else place for place in own]


def coloured(field: str, names: list[str], legend: bool = True) -> Part:
    return channel(f"{field}:N", scale=scale(names, PALETTE), legend=_legend() if legend else None)


def shaped(field: str, names: list[str], legend: bool = True) -> Part:
    return channel(f"{field}:N", scale=scale(names, SHAPES), legend=_legend() if legend else None)


def greyed(field: str, names: list[str]) -> Part:
    """As `coloured`, of what is no framework: from dark to light in the order of the names, and then anew."""
    last = len(GREYS) - 1
    steps = min(max(len(names) - 1, 1), last)
    greys = [GREYS[round(place * last / steps) % len(GREYS)] for place in range(len(names))]
    return channel(f"{field}:N", scale=dict(domain=names, range=greys), legend=_legend())


def marked(field: str, names: list[str]) -> Part:
    """As `shaped`, of what is no framework."""
    marks = [MARKS[place % len(MARKS)] for place in range(len(names))]
    return channel(f"{field}:N", scale=dict(domain=names, range=marks), legend=_legend())


def dashed(field: str, names: list[str]) -> Part:
    """Without a legend of its own: the domain has one name more, so that Vega-Lite joins it to no other legend."""
    dashes = scale([*names, ""], [list(one) for one in DASHES])
    return channel(f"{field}:N", scale=dashes, legend=None)


def told(*fields: str, **numbers: str) -> list[Part]:
    """What a tooltip says: names first, then numbers by field with their titles."""
    names = [channel(f"{field}:N", title=TITLES.get(field, field)) for field in fields]
    return names + [channel(f"{key}:Q", title=title, format=DIGITS) for key, title in numbers.items()]


def _legend() -> Part:
    gaps: dict[str, Any] = {"columnPadding": 34, "rowPadding": 4, "offset": 12}
    return dict(
        title=None, orient="bottom", columns=2, labelLimit=170, symbolOpacity=1, symbolDash=[1, 0], **gaps
    )
