"""A fold for each work: of one that was not measured a line, and no table of dashes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.analysis.summary import analyse
from harness.records import Outcome
from harness.store import Campaign
from reports.contents import sections_of
from reports.folds import WorkFold, folded
from reports.render import render
from tests.campaigns import Recipe, build
from tests.reports.scrape import Page

TWO = Recipe(blocks=2, stages=("train", "infer"))


def folds(campaign: Campaign) -> dict[str, WorkFold]:
    analysis = analyse(campaign)
    return {one.stage: one for one in folded(sections_of(analysis, campaign), analysis).works}


def without_infer(campaign: Campaign, outcome: Outcome | None) -> Campaign:
    """Its stage infer not carried out, or failed in all runs."""
    runs = [run for run in campaign.runs if run.record.planned.treatment.stage != "infer" or outcome]
    records = [
        run.record.model_copy(update={"outcome": outcome})
        if run.record.planned.treatment.stage == "infer"
        else run.record
        for run in runs
    ]
    changed = tuple(replace(run, record=record) for run, record in zip(runs, records, strict=True))
    return replace(campaign, runs=changed)


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [(None, "4 runs of the plan not carried out"), (Outcome.FAILED, "4 runs excluded (")],
)
def test_of_work_that_was_not_measured_a_line_says_so_and_why(
    tmp_path: Path, outcome: Outcome | None, reason: str
) -> None:
    campaign = without_infer(build(tmp_path / "c", TWO), outcome)
    found = folds(campaign)
    assert found["infer"].line.startswith(f"Not measured: {reason}")
    assert [one.name for one in found["infer"].shares] == ["verdict"]
    assert {"verdict", "costs", "phases"} <= {one.name for one in found["train"].shares}
    page = Page(render(campaign))
    assert "costs-whole-1" in page.cells and "costs-whole-2" not in page.cells
    key = found["infer"].key
    assert f'href="#{key}"' in page.html and f'id="{key}"' in page.html  # the first screen leads there


def test_where_nothing_was_measured_each_table_says_why(tmp_path: Path) -> None:
    failed = {(name, block): Outcome.FAILED for name in TWO.frameworks for block in (1, 2)}
    found = folds(build(tmp_path / "c", replace(TWO, outcomes=failed)))
    assert all("Not measured" not in one.line and len(one.shares) > 1 for one in found.values())
