"""suite run --profile-runs, as a user meets it: in the plan, on the screen, and where nobody may look."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.cli import looking_told, screen
from harness.planning.plan_limits import MOST_RUNS
from harness.profiling import spy_program
from tests.campaigns import Recipe, build
from tests.harness.cli.conftest import Answer

Suite = Callable[..., Answer]
ONE = ("-w", "svm", "-f", "sklearn", "-s", "train")
RECIPE = Recipe(frameworks={"torch": 1.0}, blocks=3, profile_runs=2, profiled={"session": 1.2})


def test_the_exact_order_has_them_last(suite: Suite) -> None:
    words = (
        *ONE,
        "-r",
        2,
        "--profile-runs",
        2,
        "--profile",
        "quick",
        "--environment",
        "virtualenv",
        "--dry-run",
    )
    lines = suite("run", *words).out.splitlines()
    assert [line.split()[2] for line in lines[1:5]] == ["measure", "measure", "profile", "profile"]


def test_a_plan_is_shown_with_them_and_its_forecast_grows(suite: Suite) -> None:
    without, shown = (suite("plan", "show", *ONE, "-r", 2, *more).out for more in ((), ("--profile-runs", 8)))
    assert "1 treatment x 2 blocks, 2 runs" in without
    assert "1 treatment x 2 blocks, then 8 runs of each under the profiler, never compared, 10 runs" in shown
    minutes = [int(text.partition("about ")[2].partition(" minutes")[0]) for text in (without, shown)]
    assert minutes[1] > minutes[0]


def test_too_many_are_refused(refused: Callable[..., str]) -> None:
    words = ("run", *ONE, "--environment", "virtualenv", "-r", 2, "--profile-runs")
    assert "are more than" in refused(*words, MOST_RUNS)
    assert "is not in the range" in refused(*words, -1)


def test_a_campaign_that_goes_on_takes_no_other_number(refused: Callable[..., str], tmp_path: Path) -> None:
    assert "--profile-runs" in refused("run", "--resume", build(tmp_path / "c").folder, "--profile-runs", 2)


@pytest.mark.parametrize(
    "words", [("run", *ONE, "-r", 1, "--profile-runs", 1), ("profile", "svm", "-f", "sklearn")]
)
def test_where_nobody_may_look_nothing_is_prepared(
    words: tuple[Any, ...],
    refused: Callable[..., str],
    tmp_path: Path,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake = tmp_path / "py-spy"
    fake.write_text("#!/bin/sh\necho 'Error: Permission denied (os error 13)' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setattr(spy_program, "program", lambda: str(fake))
    monkeypatch.setattr(spy_program.os, "geteuid", lambda: 1000)
    told = refused(*words, "--environment", "virtualenv", "-o", tmp_path / "campaign")
    assert "py-spy cannot look at the worker's stack: user 1000 may not" in told
    assert f"sudo setcap cap_sys_ptrace+ep {fake}" in told
    assert not (tmp_path / "campaign").exists() and not home.exists()


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a log: in a narrow terminal a row is folded."""
    monkeypatch.setattr(screen.console, "width", screen.LOG_WIDTH)


def said(tmp_path: Path, capsys: pytest.CaptureFixture[str], **other: Any) -> str:
    looking_told.tell(build(tmp_path / "c", replace(RECIPE, **other)))
    return capsys.readouterr().out


def test_what_looking_cost_is_told_with_its_interval(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = said(tmp_path, capsys)
    (row,) = (line for line in told.splitlines() if "torch" in line)
    assert "2 over 3" in row and looking_told.BRACKETS in told
    assert row.count("1.2") >= 2 and row.count("(") == 3


def test_a_single_look_has_no_interval_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = said(tmp_path, capsys, profile_runs=1)
    (row,) = (line for line in told.splitlines() if "torch" in line)
    assert "(" not in row
    assert "no interval: one profiled run: an interval needs two" in told
    assert looking_told.BRACKETS not in told


def test_an_estimate_is_said_to_know_nothing_of_the_profiler(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert looking_told.OF_AN_ESTIMATE in said(tmp_path, capsys, meter="estimate")


def test_without_a_measured_run_it_names_the_command_that_tells(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = said(tmp_path, capsys, blocks=0)
    assert "what looking cost is not known" in told
    assert told.strip().endswith(
        "suite run -w mnist_cnn -f torch@2.13.0 -s train --profile quick -r 3 --profile-runs 3 --environment virtualenv"
    )


def test_of_a_campaign_without_them_nothing_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(tmp_path, capsys, profile_runs=0) == ""
