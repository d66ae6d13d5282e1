"""The page of a campaign that was profiled within its environments alone says so, and nothing of looking."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import store
from harness.analysis.looking_costs import looking_costs
from harness.analysis.summary import analyse
from harness.records import IMPORTED, Profiler
from reports.headline import headline
from tests.campaigns import Recipe
from tests.profiled_within import build_within
from tests.reports.parts_of import section_of


@pytest.mark.parametrize("profiler", [Profiler.CPROFILE, Profiler.OPERATORS])
def test_its_first_lines_promise_no_costs_and_no_joules(tmp_path: Path, profiler: Profiler) -> None:
    campaign = build_within(tmp_path / "c", Recipe(blocks=2, frameworks={"torch": 1.0}), profiler)
    found = headline(analyse(campaign), campaign)
    assert found["title"] == "Which functions took the time of mnist_cnn"
    assert found["counts"] == "2 profiled runs: none is compared, or counts as measured."
    assert not found["question"] and not found["answers"] and not found["resolution"]


@pytest.mark.parametrize("profiler", [Profiler.CPROFILE, Profiler.OPERATORS])
def test_nobody_looked_at_it_so_nothing_is_said_of_looking(tmp_path: Path, profiler: Profiler) -> None:
    campaign = build_within(tmp_path / "c", Recipe(blocks=1), profiler)
    analysis = analyse(campaign)
    assert looking_costs(analysis.runs, analysis.groups).empty
    assert section_of("looking", analysis, campaign) is None


def test_imported_profiles_are_of_time_and_nobody_looked_at_them(tmp_path: Path) -> None:
    """Their runs name no profiler."""
    campaign = build_within(tmp_path / "c", Recipe(blocks=1, isolation=IMPORTED), Profiler.CPROFILE)
    for run in campaign.runs:
        planned = run.record.planned.model_copy(update={"profiler": None})
        store.write_record(run.folder / store.RUN_FILE, run.record.model_copy(update={"planned": planned}))
    order = tuple(one.model_copy(update={"profiler": None}) for one in campaign.record.order)
    record = campaign.record.model_copy(update={"order": order})
    store.write_record(campaign.folder / store.CAMPAIGN_FILE, record)
    campaign = store.load_campaign(campaign.folder)
    analysis = analyse(campaign)
    assert headline(analysis, campaign)["title"] == "Which functions took the time of mnist_cnn"
    assert section_of("functions", analysis, campaign) is None
    assert section_of("calls", analysis, campaign) is not None
