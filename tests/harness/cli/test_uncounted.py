"""What a budget had no time for is a line of `suite compare`, no table of unknowns."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from harness.cli.uncounted import apart
from tests.campaigns import Recipe, build
from tests.harness.cli.conftest import Answer

Suite = Callable[..., Answer]
LINE = "no run counts: mnist_mlp train digits, tensorflow 2.21.0 and jax 0.10.2"


@pytest.fixture(scope="module")
def partly(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All of mnist_cnn; of mnist_mlp nothing but its reference."""
    recipe = Recipe(
        frameworks={"torch": 1.0, "tensorflow": 1.2, "jax": 0.9}, blocks=4, more_workloads=("mnist_mlp",)
    )
    made = build(tmp_path_factory.mktemp("partly") / "c", recipe)
    for run in made.runs:
        treatment = run.record.planned.treatment
        if treatment.workload == "mnist_mlp" and treatment.framework != "torch":
            shutil.rmtree(run.folder)
    return made.folder


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_pairs_without_runs_are_a_line_and_the_others_a_table(suite: Suite, partly: Path, form: str) -> None:
    answer = suite("compare", partly, "--format", form)
    told = answer.out.replace("\\_", "_")
    assert answer.code == 0 and told.count(LINE) == 1
    assert "unknown" not in told and told.count("mnist_mlp") == 1
    assert "mnist_cnn train digits" in told and "2 not compared" in told


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_work_without_runs_is_told_apart_from_the_same_with_other_settings_that_has_some(
    suite: Suite, tmp_path: Path, form: str
) -> None:
    """Both were "mnist_cnn train digits": measured, and without any run."""
    recipe = Recipe(blocks=3, settings=({"batch_size": 64}, {"batch_size": 32}))
    made = build(tmp_path / "c", recipe)
    for run in made.runs:
        treatment = run.record.planned.treatment
        if treatment.framework == "tensorflow" and treatment.settings["batch_size"] == 32:
            shutil.rmtree(run.folder)
    told = suite("compare", made.folder, "--format", form).out.replace("\\_", "_")
    assert "no run counts: mnist_cnn train digits, batch_size 32, tensorflow 2.21.0" in told
    measured = [line for line in told.splitlines() if line.lstrip("| ").startswith("mnist_cnn train digits")]
    assert measured and all("batch_size 64" in line for line in measured)


def test_programs_read_of_every_pair(suite: Suite, partly: Path) -> None:
    told = list(csv.DictReader(io.StringIO(suite("compare", partly, "--format", "csv").out)))
    silent = [one for one in told if one["workload"] == "mnist_mlp"]
    assert {one["treatment"] for one in silent} == {"tensorflow 2.21.0", "jax 0.10.2"}
    assert all(one["ratio_reason"] == "no run counts" for one in silent)


def test_where_nothing_was_measured_each_work_is_a_line(suite: Suite, partly: Path, tmp_path: Path) -> None:
    bare = tmp_path / "c"
    shutil.copytree(partly, bare)
    for run in (bare / "runs").iterdir():
        if run.is_dir():
            shutil.rmtree(run)
    out = suite("compare", bare).out
    assert out.count("no run counts: ") == 2 and "unknown" not in out
    assert "6 not compared" not in out and "4 not compared" in out
    assert "|" not in suite("compare", bare, "--format", "markdown").out  # no table without rows


def test_a_pair_of_which_one_quantity_is_known_keeps_its_table() -> None:
    same = {"workload": "svm", "dataset": "digits", "stage": "train", "device": "cpu", "settings": "{}"}
    rows = pd.DataFrame({
        **same, "treatment": "a", "reference": "b", "ratio": [None, 1.1], "ratio_reason": ["no run counts", ""],
    })  # fmt: skip
    shown, without = apart(rows)
    assert len(shown) == 2 and without.empty
