"""What must not grow has not, beyond noise; and the rule for that sees what has, and no restless machine."""

from __future__ import annotations

import re

import numpy as np
import pytest

from harness import paths
from harness.analysis.compare import ratio_of
from tests.bench import short


def told(*ratios: float) -> short.Told:
    return short.Told("any", ratio_of(np.log(ratios)), 2.0)


@pytest.mark.parametrize(
    ("ratios", "regressed"),
    [
        ((2.9, 3.0, 3.1, 3.0), True),
        ((1.4, 1.5, 1.4, 1.5), False),
        ((1.5, 3.0, 9.0, 2.5), False),  # restless
        ((3.0, 3.0, 3.0, 3.0), False),  # no spread: nothing says how sure that is
    ],
)
def test_only_what_lies_wholly_above_what_is_allowed_has_regressed(
    ratios: tuple[float, ...], regressed: bool
) -> None:
    assert told(*ratios).regressed is regressed


def test_the_page_tells_what_is_allowed() -> None:
    page = (paths.ROOT / "docs/benchmarks.md").read_text()
    section = page.partition("## A short look")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `?([^`|]+?)`? \|[^|]+\| ([\d.]+) \| ([\d.]+) \|$", section, re.MULTILINE)
    assert {name: (float(found), float(allowed)) for name, found, allowed in rows} == {
        name: (ratio, pytest.approx(short.ALLOWED[name], abs=0.06)) for name, ratio in short.FOUND.items()
    }


def test_nothing_has_regressed_beyond_noise() -> None:
    found = list(short.measured())
    assert [one.name for one in found] == list(short.ALLOWED)
    assert not [short.row(one) for one in found if one.regressed]
