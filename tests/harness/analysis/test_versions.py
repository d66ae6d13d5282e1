"""Versions of one framework are treatments of their own wherever numbers are formed."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.analysis.reference import OLDEST, Reference
from harness.analysis.summary import Analysis, analyse
from harness.records import Outcome
from tests.campaigns import Recipe, build

OLDER, NEWER = "tensorflow 2.20.0", "tensorflow 2.21.0"
FACTORS = {"tensorflow@2.21.0": 0.8, "tensorflow@2.20.0": 1.0}


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """The older version prepares the state that both infer from, and fails once in block 2."""
    outcomes = {("tensorflow@2.20.0", 2): Outcome.FAILED}
    recipe = Recipe(
        frameworks=FACTORS, stages=("train", "infer"), prepare=True, blocks=4, noise=1e-4, outcomes=outcomes
    )
    return analyse(build(tmp_path_factory.mktemp("versions") / "c", recipe))


def test_the_newer_version_is_held_against_the_older(analysis: Analysis) -> None:
    assert analysis.reference == Reference(OLDER, OLDEST)
    rows = analysis.costs[(analysis.costs["quantity"] == "energy_j")].set_index(["treatment", "stage"])
    for stage in ("train", "infer"):
        newer, older = rows.loc[(NEWER, stage)], rows.loc[(OLDER, stage)]
        assert (older["verdict"], newer["verdict"], newer["reference"]) == ("reference", "better", OLDER)
        assert newer["ratio"] == pytest.approx(0.8, rel=1e-3)
        assert (newer["runs"], older["runs"], newer["blocks"]) == (4, 3, 3)


def test_means_parts_and_quality_are_formed_for_each_version_alone(analysis: Analysis) -> None:
    assert analysis.counted.groupby(["treatment", "stage"]).size().to_dict() == {
        (OLDER, "infer"): 3, (OLDER, "train"): 3, (NEWER, "infer"): 4, (NEWER, "train"): 4,
    }  # fmt: skip
    train = analysis.parts[analysis.parts["stage"] == "train"].set_index(["part", "treatment"])
    for part in ("import", "compile", "train, later epochs"):
        older, newer = train.loc[(part, OLDER), "duration_s"], train.loc[(part, NEWER), "duration_s"]
        assert newer == pytest.approx(0.8 * older, rel=1e-3)
    for frame in (analysis.epochs, analysis.finals):
        one = frame[(frame["metric"] == "accuracy") & (frame["stage"] == "train")]
        assert dict(one.groupby("treatment")["n"].max()) == {OLDER: 3, NEWER: 4}


def test_beside_another_framework_the_first_of_the_plan_is_the_reference(tmp_path: Path) -> None:
    three = {**FACTORS, "torch": 0.5}
    found = analyse(build(tmp_path / "c", Recipe(frameworks=three, noise=0.0)))
    compared = found.costs[found.costs["quantity"].isin(["energy_j", "duration_s"])]
    assert set(compared["reference"]) == {NEWER}
    assert compared["ratio"].round(2).tolist() == [1.0, 1.25, 0.62] * 2
