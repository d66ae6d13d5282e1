"""Beside costs stand ratios: what they are over is said, since one mean divided by another may be another number."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from harness.analysis.summary import analyse
from tests.campaigns import Recipe, build
from tests.reports.parts_of import page_of, section_of


def told(folder: Path, recipe: Recipe) -> str:
    campaign = build(folder / "c", recipe)
    section = section_of("costs", analyse(campaign), campaign)
    assert section is not None
    return page_of(section).text


def test_ratios_are_said_to_be_over_paired_blocks(tmp_path: Path) -> None:
    text = told(tmp_path, Recipe(blocks=2))
    assert text.count("ratios: over paired blocks, so not always one mean divided by the other") == 2


def test_where_a_rule_ends_each_ratio_that_is_said_too(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", Recipe(blocks=2))
    plan = campaign.record.plan.model_copy(update={"until": "a rule"})
    by_rule = replace(campaign, record=campaign.record.model_copy(update={"plan": plan}))
    section = section_of("costs", analyse(campaign), by_rule)
    assert section is not None and "over paired blocks until each was decided" in page_of(section).text


def test_of_one_framework_nothing_is_said_of_ratios(tmp_path: Path) -> None:
    assert "ratios" not in told(tmp_path, Recipe(frameworks={"torch": 1.0}, blocks=2))
