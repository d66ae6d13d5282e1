"""Stacked bars: as long as their numbers, with intervals where their parts end."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from reports.stacked import stacked

NAMES, PARTS = ["a", "b"], ["p", "q"]


def rows(*values: float, half: list[float | None]) -> pd.DataFrame:
    """Of a and b, each with p and q."""
    return pd.DataFrame(
        {"treatment": ["a", "a", "b", "b"], "part": [*PARTS, *PARTS], "value": values, "half": half}
    ).astype({"half": "float64"})


def bars(svg: str) -> list[tuple[float, float]]:
    """Where each begins and how long it is, in pixels."""
    marks = svg[svg.index("mark-rect") : svg.index("mark-rule role-mark")]
    found = re.findall(r'd="M([-\d.]+),[-\d.]+h([\d.]+)v', marks)
    return [(float(begin), float(width)) for begin, width in found]


def intervals(svg: str) -> list[tuple[float, float]]:
    """Where each begins and ends, in pixels, in the order of the rows."""
    marks = svg[svg.index("mark-rule role-mark") :].partition("</g>")[0]
    found = re.findall(r'translate\(([-\d.]+),[-\d.]+\)"[^>]* x2="([-\d.]+)"', marks)
    return sorted(tuple(sorted((float(at), float(at) + float(far)))) for at, far in found)


def test_bars_are_as_long_as_their_numbers_one_behind_the_other() -> None:
    of_a, behind, of_b, last = bars(stacked(rows(1, 2, 3, 1, half=[None] * 4), NAMES, PARTS, "x").svg)
    assert of_a[0] == of_b[0] == 0 and of_a[1] > 50
    assert (behind[0], last[0]) == pytest.approx((of_a[1], of_b[1]), abs=0.2)
    assert (behind[1], of_b[1], last[1]) == pytest.approx((2 * of_a[1], 3 * of_a[1], of_a[1]), abs=0.3)


def test_each_interval_lies_about_the_end_of_its_part() -> None:
    svg = stacked(rows(1, 2, 3, 1, half=[0.5, 0.25, None, 1.5]), NAMES, PARTS, "x").svg
    one = bars(svg)[0][1]  # pixels of a value of 1
    found = [(begin / one, end / one) for begin, end in intervals(svg)]
    assert found == [
        pytest.approx((0.5, 1.5), abs=0.01),
        pytest.approx((2.75, 3.25), abs=0.01),
        pytest.approx((3.0, 5.5), abs=0.01),  # and never from before its part begins: no cost is below 0
    ]


def test_a_reader_who_points_at_a_part_is_told_its_own_interval() -> None:
    spec = stacked(rows(1, 2, 3, 1, half=[0.5, 0.25, None, 1.5]), NAMES, PARTS, "x").spec
    (shown,) = spec["datasets"].values()
    assert [(one["low"], one["high"]) for one in shown] == [
        (0.5, 1.5),
        (1.75, 2.25),
        (None, None),
        (0.0, 2.5),
    ]
