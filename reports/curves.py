"""A cost over something else that has a size, as latency or batch: a mark per framework and setting, with intervals."""

from __future__ import annotations

from typing import Any

import pandas as pd

from reports.compact import LABEL
from reports.drawing import Drawing, drawn, inline
from reports.theme import HEIGHT, coloured, dashed, shaped, told
from reports.vega_lite import Chart, channel, end

WIDE = 4.0  # times the least: values that far apart, as batches that double, share a logarithmic axis


def curves(
    rows: pd.DataFrame, names: list[str], titles: dict[str, str], ticks: list[float] | None = None
) -> Drawing:
    """rows: treatment, setting, x, y, low, high (null: no interval), place (by which a framework's marks are joined).

    `titles` of x and y; `ticks`: of x, where these are all that there is.
    """
    whole = rows.assign(begin=rows["low"].fillna(rows["y"]), end=rows["high"].fillna(rows["y"]))
    x, y = _scale(rows["x"], ticks), _scale(pd.concat([whole["begin"], whole["end"]]))
    base = Chart(inline(whole)).encode(
        x=channel("x:Q", title=titles["x"], **x), color=coloured("treatment", names)
    )
    at = channel("y:Q", title=titles["y"], **y)
    line = base.mark("line", strokeWidth=1.6).encode(
        y=at, order=channel("place:Q"), strokeDash=dashed("treatment", names)
    )
    ranges = base.mark("rule", strokeWidth=2).encode(y=channel("begin:Q", title="", **y), y2=end("end"))
    marks = base.mark("point", filled=False, strokeWidth=1.8, size=70, opacity=1).encode(
        y=at,
        shape=shaped("treatment", names),
        tooltip=told("treatment", "setting", **titles, low="lower end", high="upper end"),
    )
    return drawn(line, ranges, marks, height=1.2 * HEIGHT)


def _scale(values: pd.Series, ticks: list[float] | None = None) -> dict[str, Any]:
    wide = bool(values.max() > WIDE * values.min() > 0)
    scale = dict(type="log", nice=False, padding=18) if wide else dict(zero=False, nice=False, padding=18)
    some = {"tickCount": 5} if ticks is None else {"values": ticks}
    return {"scale": scale, "axis": dict(**some, format=LABEL, labelOverlap=True, grid=not wide)}
