"""A slimmer drawing is the same drawing."""

from __future__ import annotations

import re

import pandas as pd
import vl_convert

from reports import figures
from reports.slimming import packed, slim_svg

NAMES = ["1.23456789", 'a>b opacity="1" 0.1234567']
ROWS = pd.DataFrame({"treatment": NAMES, "block": [1, 2], "value": [1 / 3, 2 / 3]})


def test_texts_keep_every_character_and_tags_lose_digits_only() -> None:
    full = vl_convert.vegalite_to_svg(figures.dots(ROWS, NAMES, "x").spec)
    slim = slim_svg(full)
    assert re.findall(r">([^<]+)<", slim) == re.findall(r">([^<]+)<", full)
    assert len(slim) < 0.7 * len(full)
    assert "1.23456789" in slim and "role=" not in slim
    for name in ("transform", "d"):
        pairs = zip(geometry(full, name), geometry(slim, name), strict=True)
        assert all(abs(a - b) < 0.1 for long, short in pairs for a, b in zip(long, short, strict=True))


def geometry(svg: str, name: str) -> list[list[float]]:
    """The numbers of every attribute of this name, of all but the empty frames."""
    marks = re.sub(r'<path class="\w+"[^>]*>', "", svg)
    found = re.findall(rf' {name}="([^"]+)"', marks)
    return [[float(word) for word in re.findall(r"-?\d+\.?\d*", one)] for one in found]


def test_numbers_of_a_specification_stay_right_to_six_digits_and_rows_go_by_columns() -> None:
    rows = [{"a": 1 / 3, "b": "0.123456789"}, {"a": None, "b": "x"}]
    columns = {"byColumn": {"a": [0.333333, None], "b": ["0.123456789", "x"]}}
    spec = {
        "data": {"values": rows},
        "datasets": {"d": rows},
        "e": [123456.789, 12345678, True],
        "f": [{"a": [1]}, {}],
    }
    assert packed(spec) == {
        "data": {"values": columns}, "datasets": {"d": columns}, "e": [123457.0, 12345678, True],
        "f": [{"a": [1]}, {}],
    }  # fmt: skip
