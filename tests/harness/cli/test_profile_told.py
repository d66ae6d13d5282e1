"""The screen after suite profile: one run that cannot be told keeps nobody from the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.cli import profile_told
from harness.profiling.operator_files import OPERATORS_FILE
from harness.profiling.stacks_file import STACKS_FILE
from harness.records import Profiler
from tests.campaigns import Recipe
from tests.profiled import build_profiled
from tests.profiled_within import build_within

TWO = Recipe(frameworks={"torch": 1.0, "jax": 1.1}, blocks=1)


def test_a_run_whose_stacks_are_gone_says_so_and_the_others_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign = build_profiled(tmp_path / "c", TWO)
    (campaign.runs[0].folder / STACKS_FILE).unlink()
    profile_told.tell(campaign.folder)
    told = capsys.readouterr().out
    assert "has no stacks" in told and told.count("functions by sampling") == 1 and "at rest" in told


def test_a_run_whose_operators_are_altered_says_so_and_the_others_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign = build_within(tmp_path / "c", TWO, Profiler.OPERATORS)
    (campaign.runs[0].folder / OPERATORS_FILE).write_text("name,scope\n")
    profile_told.tell(campaign.folder)
    told = capsys.readouterr().out
    assert "cannot be read" in told and told.count("operators over 1%") == 1


def test_modes_are_told_apart_and_their_operators_held_side_by_side(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    modes = Recipe(
        frameworks={"torch": 1.0}, blocks=1, settings=({"mode": "eager"}, {"mode": "compile"}), epochs=1
    )
    profile_told.tell(build_within(tmp_path / "c", modes, Profiler.OPERATORS).folder)
    told = capsys.readouterr().out
    for mode in ("eager", "compile"):
        assert f"mnist_cnn, torch 2.13.0, train, mode {mode}: operators over" in told
    assert told.count("the same operators side by side") == 1
    assert "torch 2.13.0, mode compile  torch 2.13.0, mode eager" in told
