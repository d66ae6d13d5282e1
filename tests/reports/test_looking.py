"""The section on what looking cost: its numbers, what it cannot tell, and nothing where nobody looked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.analysis.looking_costs import looking_costs
from harness.analysis.summary import analyse
from harness.store import Campaign
from tests.campaigns import Recipe, build
from tests.reports.parts_of import page_of, section_of
from tests.reports.scrape import Page

RECIPE = Recipe(blocks=3, profile_runs=2, profiled={"session": 1.2})
TORCH = "torch 2.13.0 mnist_cnn · train · digits"


def campaign(tmp_path: Path, **other: Any) -> Campaign:
    return build(tmp_path / "c", replace(RECIPE, **other))


def shown(campaign: Campaign) -> Page:
    section = section_of("looking", analyse(campaign), campaign)
    assert section is not None
    return page_of(section)


def test_each_ratio_stands_with_its_interval_and_its_runs(tmp_path: Path) -> None:
    one = campaign(tmp_path)
    page, analysis = shown(one), analyse(one)
    row = page.cells["looking"][TORCH]
    assert (row["profiled"].value, row["measured"].value) == ("2", "3")
    rows = looking_costs(analysis.runs, analysis.groups).set_index(["treatment", "quantity"])
    for quantity in ("energy_j", "duration_s", "mean_power_w"):
        truth = rows.loc[("torch 2.13.0", quantity)]
        assert float(row[quantity].value or "nan") == pytest.approx(truth["ratio"])
        assert f"({truth['low']:.2f}–{truth['high']:.2f})" in row[quantity].text


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"profile_runs": 1}, "one profiled run: an interval needs two"),
        ({"meter": "estimate"}, "what the profiler itself took is in none of them"),
        (
            {"blocks": 0},
            "suite run -w mnist_cnn -f torch@2.13.0 -f tensorflow@2.21.0 -s train --profile quick -r 3",
        ),
    ],
)
def test_what_is_not_known_is_said(tmp_path: Path, other: dict[str, Any], words: str) -> None:
    assert words in shown(campaign(tmp_path, **other)).text


def test_where_nobody_looked_there_is_no_section(tmp_path: Path) -> None:
    one = campaign(tmp_path, profile_runs=0)
    assert section_of("looking", analyse(one), one) is None
