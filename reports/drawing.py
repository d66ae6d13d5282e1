"""A chart as a Vega-Lite specification with its numbers inside, and what it is turned into: SVG, PNG, PDF."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from textwrap import wrap
from typing import Any

import pandas as pd
import vl_convert
from markupsafe import Markup
from pandas.api.types import is_float_dtype

from harness.files.untrusted import printable
from reports import theme
from reports.compiling import compiled
from reports.pdf_order import in_order
from reports.slimming import slim_svg
from reports.vega_lite import Chart, Datasets, Rows

PAPER = "white"
LINE = 52  # letters of a title
PIXELS = 3.0  # of a PNG to one CSS pixel: 288 dots per inch


@dataclass(frozen=True)
class Drawing:
    spec: dict[str, Any]

    @cached_property
    def svg(self) -> Markup:
        """Vega escapes every text; no clipping, since the names of clip paths would meet on the page."""
        return Markup(slim_svg(vl_convert.vega_to_svg(compiled(self.spec))))

    def still(self, form: str, told: tuple[str, str] = ("", "")) -> bytes:
        """The chart as a file by itself: "svg", "pdf" or "png", on white paper, below a title and what is under it."""
        spec = {**self.spec, "config": {**self.spec["config"], "background": PAPER}}
        if any(told):
            spec["title"] = _plain(_titled(*told))
        if form == "svg":
            return str(vl_convert.vegalite_to_svg(spec)).encode()
        if form == "pdf":
            return in_order(bytes(vl_convert.vegalite_to_pdf(spec)))
        return bytes(vl_convert.vegalite_to_png(spec, scale=PIXELS))


def _titled(title: str, below: str) -> dict[str, Any]:
    """In lines no wider than the chart, in one font: with a second one a PDF comes out otherwise each time."""
    sizes = {
        "fontSize": 14,
        "fontWeight": "normal",
        "subtitleFontSize": 10,
        "anchor": "start",
        "frame": "bounds",
        "offset": 10,
    }
    return {"text": wrap(title, LINE), "subtitle": wrap(below, round(1.3 * LINE)), **sizes}


def drawn(*layers: Chart, height: float | None = None, width: int = theme.WIDTH) -> Drawing:
    """Layers, one above the other, in the page's style.

    `height`: of what the axes enclose; `width`: of the whole drawing; in CSS pixels.
    """
    datasets: Datasets = {}
    parts = [one.specified(datasets) for one in layers]
    chart = parts[0] if len(parts) == 1 else _layered(parts)
    size = {"width": width} if height is None else {"width": width, "height": height}
    return Drawing(_plain({**theme.style(), **chart, **size, "datasets": datasets}))


def _layered(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Rows that all layers have stand above them."""
    data = parts[0].get("data")
    if any(one.get("data") != data for one in parts):
        return {"layer": parts}
    return {"data": data, "layer": [{k: v for k, v in one.items() if k != "data"} for one in parts]}


def _plain(part: Any) -> Any:
    """Without the characters that no XML may hold: what draws the SVG aborts the whole process at the first."""
    if isinstance(part, dict):
        return {key: _plain(value) for key, value in part.items()}
    if isinstance(part, list):
        return [_plain(value) for value in part]
    return printable(part) if isinstance(part, str) else part


def inline(rows: pd.DataFrame) -> Rows:
    """Plain values; what is not finite is no number in JSON."""
    columns = [_finite(rows[name]) for name in rows.columns]
    names = list(rows.columns)
    return Rows(values=[dict(zip(names, one, strict=True)) for one in zip(*columns, strict=True)])


def _finite(column: pd.Series) -> list[Any]:
    if is_float_dtype(column):
        return [one if isfinite(one) else None for one in column.tolist()]
    missing, values = column.isna().to_numpy(), column.tolist()
    if not missing.any():
        return values
    return [None if gone else one for gone, one in zip(missing, values, strict=True)]
