"""The screen's table of operators: joules with what they can have been, how they came about, or why there are none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.cli import profile_told, screen
from harness.records import Profiler
from tests.campaigns import Recipe
from tests.profiled_within import build_within

ONE = Recipe(frameworks={"torch": 1.0}, blocks=1)


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen.console, "width", screen.LOG_WIDTH)


def said(folder: Path, capsys: pytest.CaptureFixture[str], recorded_s: float) -> str:
    campaign = build_within(folder / "c", ONE, Profiler.OPERATORS, recorded_s=recorded_s)
    profile_told.tell(campaign.folder)
    return capsys.readouterr().out


def test_parts_add_up_and_are_said_to_be_shared_by_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = said(tmp_path, capsys, 2.0)
    (row,) = (line for line in told.splitlines() if "aten::conv2d" in line)
    assert re.search(r" \d+(\.\d+)? +\d+(\.\d+)? to \d+(\.\d+)? ", row)
    (balance,) = (line for line in told.splitlines() if line.startswith("operators ") and "=" in line)
    *parts, total = map(float, re.findall(r"(\S+) J(?! by the meter)", balance))
    assert sum(parts) == pytest.approx(total, rel=1e-3) and len(parts) == 3
    assert "measured; shared by time, not sampled" in balance


def test_a_meter_that_reads_seldom_has_no_bounds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = said(tmp_path, capsys, 0.25)
    assert "too seldom to tell the least and the most" in told and "least to most" not in told


def test_why_there_are_none_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = said(tmp_path, capsys, 12.0)
    assert "joules of operators are not told: what was recorded lies outside of its run" in told
    assert " J " not in told
