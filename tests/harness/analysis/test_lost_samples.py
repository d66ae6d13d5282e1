"""A run whose samples are gone says so, wherever a campaign is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.analysis.lost_samples import lost_samples
from harness.analysis.summary import analyse
from harness.records import Outcome
from harness.store import Campaign, load_campaign
from tests.campaigns import Recipe, build

LOST = "torch 2.13.0, mnist_cnn train: no samples.parquet in 001-000-torch-train"


@pytest.fixture
def robbed(tmp_path: Path) -> Callable[..., Campaign]:
    """A campaign that lacks the samples of its torch runs of these blocks."""

    def rob(*blocks: int, recipe: Recipe | None = None) -> Campaign:
        for run in build(tmp_path / "c", recipe).runs:
            planned = run.record.planned
            if planned.treatment.framework == "torch" and planned.block in blocks:
                run.samples_path.unlink()
        return load_campaign(tmp_path / "c")

    return rob


def test_a_run_without_its_samples_is_a_finding_of_its_treatment(robbed: Callable[..., Campaign]) -> None:
    (found,) = lost_samples(robbed(1).runs)
    assert (found.code, found.severity) == ("samples-missing", "warning")
    assert found.message == f"{LOST}: their energy is unknown"


def test_many_are_one_line(robbed: Callable[..., Campaign]) -> None:
    (found,) = lost_samples(robbed(*range(1, 6), recipe=Recipe(blocks=5)).runs)
    assert "torch-train and 2 more: " in found.message


def test_whole_campaigns_and_runs_that_no_meter_read_lack_nothing(robbed: Callable[..., Campaign]) -> None:
    assert list(lost_samples(robbed().runs)) == []


def test_nothing_is_missed_where_there_was_no_meter(robbed: Callable[..., Campaign]) -> None:
    meterless = robbed(recipe=Recipe(meter=None))
    assert all(run.samples_path.exists() or not run.record.channels for run in meterless.runs)
    assert list(lost_samples(meterless.runs)) == []


def test_a_run_that_failed_has_told_why_already(robbed: Callable[..., Campaign]) -> None:
    recipe = Recipe(outcomes={("torch", 1): Outcome.FAILED})
    assert list(lost_samples(robbed(1, recipe=recipe).runs)) == []


def test_every_reader_of_a_campaign_is_told(robbed: Callable[..., Campaign]) -> None:
    assert LOST in " ".join(one.message for one in analyse(robbed(1)).findings)
