"""suite run --budget: what is said before and after, and what is no duration."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.campaign.planned import PlannedCampaign
from harness.cli.budget import Budget
from harness.cli.duration import DURATION, words
from harness.errors import UsageError
from tests.campaigns import Recipe, build


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90), ("10min", 600), ("8h", 28_800), ("1h30min", 5400), ("+1h", 3600), ("0.5h", 1800)],
)
def test_a_duration_is_seconds(text: str, seconds: float) -> None:
    assert DURATION.convert(text, None, None) == seconds


@given(st.integers(1, 10**6))
def test_what_is_told_is_what_can_be_asked(seconds: int) -> None:
    assert DURATION.convert(words(seconds), None, None) == seconds


@pytest.mark.parametrize(
    "text",
    ["", "10", "0min", "ten", "-5min", "10 min", "1min2h", "infs", "9" * 400 + "h", "0.4s", "8761h", "١min"],
)
def test_what_is_none_is_refused_in_one_line(refused: Callable[..., str], text: str, tmp_path: Path) -> None:
    told = refused("run", "--all", "-o", tmp_path / "c", f"--budget={text}")
    assert "is no duration; write it as 90s, 10min, 8h or 1h30min" in told
    assert not (tmp_path / "c").exists()


@pytest.fixture
def one(tmp_path: Path) -> PlannedCampaign:
    """With two of four blocks."""
    built = build(tmp_path / "c", Recipe(blocks=2))
    plan = built.record.plan.model_copy(update={"repetitions": 4})
    return PlannedCampaign(built.folder, plan, {}, None)  # type: ignore[arg-type] - of which nothing is asked


def test_what_fits_is_said_by_what_runs_took(
    one: PlannedCampaign, capsys: pytest.CaptureFixture[str]
) -> None:
    Budget(1e6, time.monotonic()).tell_what_fits(one)
    assert "enough for all of them" in capsys.readouterr().out
    Budget(2.0, time.monotonic()).tell_what_fits(one)
    assert "enough for about" in capsys.readouterr().out


def test_a_budget_that_preparing_has_spent_is_refused_before_anything_is_written(
    one: PlannedCampaign, tmp_path: Path
) -> None:
    new = replace(one, folder=tmp_path / "new")
    with pytest.raises(
        UsageError, match="the budget of 5s was spent on what comes before the first run, 20s"
    ):
        Budget(5.0, time.monotonic() - 20).tell_what_fits(new)
    assert not new.folder.exists()


def test_what_is_left_and_how_to_go_on_is_said(
    one: PlannedCampaign, capsys: pytest.CaptureFixture[str]
) -> None:
    Budget(600.0, time.monotonic()).tell_what_is_left(one)
    assert capsys.readouterr().out == ""  # the campaign on disk is whole
    for run in sorted((one.folder / "runs").iterdir())[-1:]:
        run.rename(one.folder / "elsewhere")
    Budget(600.0, time.monotonic()).tell_what_is_left(replace(one))
    told = " ".join(capsys.readouterr().out.split())
    assert "the budget is spent" in told
    assert f"suite run --resume {one.folder} --budget 10min" in told.replace("- ", "-")


@given(st.floats(1, 1e6))
def test_the_report_has_its_share_of_the_time(seconds: float) -> None:
    ends_s = Budget(seconds, 0.0).ends_s
    assert 0.95 * seconds <= ends_s <= seconds
    assert seconds - ends_s <= 120.0
