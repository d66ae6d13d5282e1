"""The table at the end of a campaign: a row a treatment, nothing mixed, within 80 cells."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import store
from harness.cli.summary_told import print_summary
from harness.records import Outcome
from tests.campaigns import Recipe, build

MODES = ({"mode": "eager"}, {"mode": "compile"})


def lines(folder: Path, capsys: pytest.CaptureFixture[str], recipe: Recipe) -> list[str]:
    print_summary(build(folder / "c", recipe))
    found = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    found.remove("not calibrated: run suite calibrate")
    return found


def test_what_all_rows_have_alike_is_said_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = lines(tmp_path, capsys, Recipe(workload="logistic_regression", frameworks={"keras-torch": 1.0}))
    assert found[0].split("  ")[-1].strip() == "accuracy"
    assert "J measured" in found[0] and "runs" not in found[0] and "with" not in found[0]
    assert found[1].startswith("logistic_regression  train  keras-torch  1.0")
    assert found[2] == "geometric means of 3 runs each"
    assert len(found) == 3 and all(len(line) <= 80 for line in found)


def test_modes_are_not_mixed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = lines(tmp_path, capsys, Recipe(frameworks={"torch": 1.0}, settings=MODES))
    rows = [line for line in found if line.startswith("mnist_cnn")]
    assert ["mode eager" in row for row in rows] == [True, False]
    assert ["mode compile" in row for row in rows] == [False, True]
    assert found[-1] == "geometric means of 3 runs each"


def test_every_number_keeps_its_word_where_meters_differ(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = Recipe(frameworks={"torch": 1.0, "jax": 1.0}, meters={"jax": "estimate"})
    header, jax, torch, _ = lines(tmp_path, capsys, recipe)
    assert "energy" in header and "measured" not in header
    assert " J estimated " in jax and " J measured " in torch


def test_energy_that_is_not_known_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = Recipe(frameworks={"torch": 1.0, "jax": 1.0}, meters={"jax": None})
    header, jax, torch, _ = lines(tmp_path, capsys, recipe)
    assert "J measured" in header
    assert " unknown " in jax and " unknown " not in torch


def test_measured_and_estimated_joules_of_one_treatment_make_no_mean(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build(tmp_path / "c", Recipe(frameworks={"torch": 1.0}, blocks=1))
    other = build(tmp_path / "other", Recipe(frameworks={"torch": 1.0}, blocks=2, meter="estimate"))
    late = other.runs[1].folder
    late.rename(tmp_path / "c" / store.RUNS / late.name)
    print_summary(store.load_campaign(tmp_path / "c"))
    assert " unknown " in capsys.readouterr().out.splitlines()[1]


def test_runs_that_did_not_count_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = lines(tmp_path, capsys, Recipe(outcomes={("torch", 1): Outcome.FAILED}))
    header, *_ = found
    assert " runs " in header
    assert [row.split()[4] for row in found[1:3]] == ["3", "2"]
    assert found[3:] == ["geometric means of the runs that count", "1 run failed: see the report"]


def test_what_withholds_verdicts_is_a_line_whatever_the_number_of_frameworks_and_says_on_how_many_works(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    several = {"torch": 1.0, "jax": 1.0, "tensorflow": 1.0}
    found = lines(tmp_path, capsys, Recipe(frameworks=several, settings=MODES, proven=False))
    (line,) = [one for one in found if one.startswith("no verdict")]
    assert line.startswith("no verdict on 2 of 2 works: not-verified: no proof shows that ")
    assert line.endswith("does the same work (and 2 more such: see the report)")
