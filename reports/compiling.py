"""A chart of Vega-Lite as the Vega that draws it. Compiling takes long: charts that are alike share one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import vl_convert

FREE = "\x01"  # begins what stands for a text or a number while one compiles: no chart's own text may hold it
Stands = dict[str, str]  # JSON of a value -> what stands for it


def compiled(spec: Mapping[str, Any]) -> str:
    """JSON, without tooltips. `spec`: of reports.drawing, its texts without control characters.

    Compiling sees no rows, and neither titles nor the numbers of axes: most charts of a page differ in these alone.
    """
    stands: Stands = {}
    rows = {f"rows-{number}": one for number, one in enumerate(spec["datasets"].values())}
    names = dict(zip(spec["datasets"], rows, strict=True))
    bare = {**_bare(spec, names, stands), "datasets": {name: [] for name in rows}}
    text = _to_vega(json.dumps(bare))
    for value, free in stands.items():
        text = text.replace(*_places(value, free))
    for name, values in rows.items():
        text = text.replace(_rows(name, []), _rows(name, values))
    return text


@lru_cache(maxsize=128)
def _to_vega(spec: str) -> str:
    found: dict[str, Any] = vl_convert.vegalite_to_vega(spec)
    return json.dumps({**found, "data": [_ordered(one) for one in found["data"]]})


def _ordered(data: dict[str, Any]) -> dict[str, Any]:
    """`name` and `values` first, so that rows can be told in their place."""
    first: dict[str, Any] = {key: data[key] for key in ("name", "values") if key in data}
    return {**first, **data}


def _rows(name: str, values: list[dict[str, Any]]) -> str:
    return f'"name": {json.dumps(name)}, "values": {json.dumps(values)}'


def _places(value: str, free: str) -> tuple[str, str]:
    """What to replace by what: a text also within another, as Vega-Lite joins the titles of layers."""
    if value.startswith('"'):
        return json.dumps(free)[1:-1], value[1:-1]
    return json.dumps(free), value


def _bare(part: Any, names: Mapping[str, str], stands: Stands) -> Any:
    """Without tooltips, which a drawing does not show and Vega makes for every mark all the same.

    `names`: of each set of rows the one that it gets: else two charts with the same rows elsewhere would differ.
    """
    if isinstance(part, dict):
        left = {key: one for key, one in part.items() if key not in ("tooltip", "datasets")}
        return {
            key: {"name": names[one["name"]]} if key == "data" else _free(part, key, one, names, stands)
            for key, one in left.items()
        }
    return [_bare(one, names, stands) for one in part] if isinstance(part, list) else part


def _free(whole: Mapping[str, Any], key: str, part: Any, names: Mapping[str, str], stands: Stands) -> Any:
    """What Vega-Lite passes on unread: titles, where an axis has its ticks, and from where to where it goes.

    But for scales that are not logarithmic: those that hold 0 it treats otherwise.
    """
    if key == "title" and isinstance(part, str) and part:
        return _standing(part, stands)
    if key == "values" or (key == "domain" and whole.get("type") == "log"):
        return [_standing(one, stands) for one in part]
    return _bare(part, names, stands)


def _standing(value: Any, stands: Stands) -> str:
    """The same for what is equal: layers with the same title have it once."""
    told = json.dumps(value)
    return stands.setdefault(told, f"{FREE}{len(stands)}{FREE}")
