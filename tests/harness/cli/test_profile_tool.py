"""suite run --profile-tool, as a user meets it: in the plan, on the screen, where it cannot be, and for real."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness import store
from harness.cli import looking_told, preparing, screen
from harness.errors import UsageError
from harness.records import Profiler
from tests.campaigns import Recipe, build
from tests.harness.cli.conftest import Answer

Suite = Callable[..., Answer]
ONE = ("-w", "svm", "-f", "sklearn", "-s", "train")
TWO = ("-w", "svm", "-w", "mnist_mlp", "-f", "sklearn", "-f", "torch", "-s", "train")
HERE = ("--profile", "quick", "--environment", "virtualenv")
TOOLS = ("--profile-tool", "cprofile", "--profile-tool", "operators")
RECIPE = Recipe(frameworks={"torch": 1.0}, blocks=3, profile_runs=2, profiled={"session": 1.2})


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen.console, "width", screen.LOG_WIDTH)


def test_the_exact_order_names_the_tool_of_each_run(suite: Suite) -> None:
    lines = suite("run", *TWO, *HERE, "-r", 1, "--profile-runs", 1, *TOOLS, "--dry-run").out.splitlines()
    rows = [line.split() for line in lines[1:6]]
    assert [row[2] for row in rows] == ["measure"] * 2 + ["profile"] * 3
    under = sorted((row[4], row[3]) for row in rows[2:])
    assert under == [("mnist_mlp", "cprofile"), ("mnist_mlp", "operators"), ("svm", "cprofile")]


def test_a_plan_is_shown_with_them(suite: Suite) -> None:
    shown = suite("plan", "show", *TWO, "-r", 2, "--profile-runs", 3, *TOOLS).out
    assert (
        "2 blocks, then 3 runs of each under each of cprofile and operators, never compared, 13 runs" in shown
    )


def test_what_cannot_be_is_one_line(refused: Callable[..., str], tmp_path: Path) -> None:
    assert "with --profile-runs" in refused("run", *ONE, *HERE, *TOOLS)
    alone = ("--profile-runs", 1, "--profile-tool", "operators")
    assert "nothing of the plan can be profiled: sklearn has no operators" in refused(
        "run", *ONE, *HERE, *alone
    )
    again = refused("run", "--resume", build(tmp_path / "c").folder, *TOOLS)
    assert "leave out --profile-tool" in again


def test_who_needs_no_right_to_look_is_not_asked_for_it(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def prepare(*words: Any, **more: Any) -> None:
        raise UsageError("that is all")

    monkeypatch.setattr(preparing, "prepare", prepare)
    spy = looking_told.spy_program
    monkeypatch.setattr(spy, "require_looks_at_own", lambda native: screen.say("somebody looks"))
    monkeypatch.setattr(spy, "words", lambda native: f"native {native}")
    asked = ("run", *TWO, *HERE, "-r", 1, "--profile-runs", 1, "-o", tmp_path / "campaign")
    answer = suite(*asked, *TOOLS)
    assert answer.err == "suite: that is all\n"
    assert answer.out.startswith("left out: sklearn has no operators") and answer.out.count("\n") == 1
    assert suite(*asked, *TOOLS, "--profile-tool", "py-spy").out.endswith("somebody looks\nnative False\n")
    native = suite(*asked, "--profile-tool", "py-spy-native")
    assert native.out == "somebody looks\nnative True\n"


def test_what_each_tool_cost_is_a_row_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tools = (Profiler.CPROFILE, Profiler.OPERATORS)
    looking_told.tell(build(tmp_path / "c", replace(RECIPE, profile_tools=tools, meter="estimate")))
    told = capsys.readouterr().out
    for tool in tools:
        (row,) = (line for line in told.splitlines() if "torch" in line and f" {tool} " in line)
        assert "2 over 3" in row and row.count("(") == 3
    assert looking_told.OF_AN_ESTIMATE not in told  # what they took is the worker's own


def test_the_command_that_tells_names_the_tools(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    looking_told.tell(
        build(tmp_path / "c", replace(RECIPE, profile_tools=(None, Profiler.CPROFILE), blocks=0))
    )
    told = capsys.readouterr().out.strip()
    assert told.endswith(
        "-r 3 --profile-runs 3 --profile-tool py-spy --profile-tool cprofile --environment virtualenv"
    )


@pytest.mark.frameworks
def test_runs_are_measured_then_profiled_and_what_it_cost_is_told(
    suite: Suite, tmp_path: Path, shared_home: Path
) -> None:
    folder = tmp_path / "campaign"
    asked = ("-r", 1, "--profile-runs", 1, "--profile-tool", "cprofile", "--no-verify", "-o", folder)
    answer = suite("run", *ONE, *HERE, *asked)
    assert answer.code == 0, answer.out + answer.err
    assert "by cProfile" in answer.out and "what looking cost, under the profiler over measured" in answer.out
    measured, profiled = store.load_campaign(folder).runs
    assert (measured.record.planned.profiler, profiled.record.planned.profiler) == (None, "cprofile")
    assert (profiled.folder / "calls.svg").exists() and not (profiled.folder / "stacks.parquet").exists()
    page = (folder / "report.html").read_text()
    assert 'id="calls"' in page and 'id="looking"' in page and 'id="work-1-verdict"' in page
