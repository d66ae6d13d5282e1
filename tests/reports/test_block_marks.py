"""Beside each interval stand the ratios of its blocks, where they can be seen, and the caption says so."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from harness.analysis.block_ratios import block_ratios
from harness.analysis.quantities import leads
from harness.analysis.summary import analyse
from reports import figures
from reports.parts import Panel, Sentence
from reports.sections import verdict
from tests.campaigns import Recipe, build
from tests.reports.parts_of import numbers_in, panels_of, section_of

WORDS = "Small marks: the ratio of each block by itself."


def test_every_block_of_a_ratio_has_its_mark(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", Recipe(blocks=4, noise=0.05))
    analysis = analyse(campaign)
    section = section_of("verdict", analysis, campaign)
    assert section is not None
    (_, figure), panels = next(section.figures), panels_of(section)
    assert figure.caption.endswith(WORDS)
    found = block_ratios(analysis.counted, analysis.costs, analysis.groups[0], leads())
    for lead, (_, panel) in zip(leads(), panels.items(), strict=True):
        marks = next(rows for rows in numbers_in(panel) if "place" in rows)
        whole = marks[marks["scope"] == "whole run"].sort_values("place")
        expected = found[found["quantity"] == lead.name]["ratio"]
        assert whole["times"].to_numpy() == pytest.approx(expected.to_numpy(), rel=1e-4)
        assert list(whole["place"]) == ["block 1", "block 2", "block 3", "block 4"]


def test_of_more_blocks_than_can_be_seen_none_is_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verdict, "MOST_MARKS", 3)
    campaign = build(tmp_path / "c", Recipe(blocks=4))
    section = section_of("verdict", analyse(campaign), campaign)
    assert section is not None
    ((_, figure),) = section.figures
    assert WORDS not in figure.caption
    assert not [one for panel in figure.panels for one in numbers_in(panel) if "place" in one]


def test_a_block_beyond_the_axis_is_left_out_and_pushes_nothing_together() -> None:
    row = {"treatment": "a", "scope": "whole run"}
    rows = pd.DataFrame([{**row, "ratio": 1.1, "low": 1.0, "high": 1.2}])
    several = [
        {**row, "place": f"block {n}", "times": ratio} for n, ratio in enumerate((1.05, 1.15, 90.0), 1)
    ]
    drawing = figures.forest(rows, ["a"], blocks=pd.DataFrame(several))
    marks = next(one for one in numbers_in(Panel("", drawing, "")) if "place" in one)
    assert list(marks["place"]) == ["block 1", "block 2"]
    domain = drawing.spec["layer"][-1]["encoding"]["x"]["scale"]["domain"]
    assert domain[1] < 1.2 * figures.BEYOND


def test_where_no_ratio_has_an_interval_one_line_says_why_nothing_is_drawn(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", Recipe(blocks=1))
    section = section_of("verdict", analyse(campaign), campaign)
    assert section is not None and not panels_of(section)
    (block,) = section.view["blocks"]
    assert block.sentences == (Sentence(verdict.UNDRAWN),)
    assert block.tables


def test_joules_without_an_interval_are_not_drawn_beside_times_that_have_one(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", Recipe(blocks=4, meters={"torch": "rapl", "tensorflow": "estimate"}))
    section = section_of("verdict", analyse(campaign), campaign)
    assert section is not None
    assert [panel.title for panel in panels_of(section).values()] == ["Ratio of time"]
    assert not section.view["blocks"][0].sentences


def test_intervals_whose_verdict_is_withheld_keep_their_chart(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", Recipe(blocks=4, proven=False))
    section = section_of("verdict", analyse(campaign), campaign)
    assert section is not None
    assert len(panels_of(section)) == len(leads())
    assert not section.view["blocks"][0].sentences
