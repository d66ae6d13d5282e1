"""What is paid once, what each epoch adds, and after how many epochs that pays off."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.analysis.courses import (
    BREAK_EVEN_COLUMNS,
    COURSE_COLUMNS,
    Course,
    break_even,
    break_evens,
    courses,
)
from harness.analysis.summary import analyse
from harness.analysis.tables import tables
from tests.campaigns import SHARES, Recipe, build


@given(*[st.integers(0, 60)] * 4)
def test_break_even_is_the_first_epoch_after_which_less_was_spent(a: int, b: int, c: int, d: int) -> None:
    treatment, reference = Course(a, b), Course(c, d)
    ahead = [n for n in range(1, 200) if a + b * n < c + d * n]
    found = break_even(treatment, reference)
    assert found.epochs == (ahead[0] if ahead else None)
    assert found.until == (ahead[-1] if ahead and ahead[-1] < 199 else None)


def test_break_even_says_for_how_long() -> None:
    assert break_even(Course(0, 3), Course(10, 1)) == (
        1,
        "costs less from the start, but no longer from epoch 5 on",
        4,
    )
    assert (
        break_even(Course(9, 3), Course(1, 3)).reason == "costs more at the start, and no less in each epoch"
    )
    assert break_even(Course(float("nan"), 3), Course(1, 3)) == (None, "a cost is unknown", None)


def courses_of(folder: Path, recipe: Recipe) -> pd.DataFrame:
    campaign = build(folder, recipe)
    return courses(analyse(campaign).counted, tables(campaign).phases).set_index("treatment")


def test_an_epoch_costs_what_the_later_ones_do_and_the_rest_is_paid_once(tmp_path: Path) -> None:
    table = courses_of(tmp_path / "c", Recipe(epochs=4, noise=0.0, seconds=5.0, watts=40.0, dram_watts=4.0))
    row = table.loc["torch 2.13.0"]
    epoch_s = 5.0 * (0.98 - sum(SHARES.values())) / 5  # the first of four epochs takes as long as two
    assert list(table.reset_index().columns.sort_values()) == sorted(COURSE_COLUMNS)
    assert (row["n"], row["duration_s_per_epoch"]) == (3, pytest.approx(epoch_s, rel=1e-6))
    assert row["duration_s_once"] == pytest.approx(5.0 - 4 * epoch_s, rel=1e-6)
    assert row["energy_j_per_epoch"] == pytest.approx(44 * epoch_s, rel=1e-3)
    assert row["energy_j_once"] == pytest.approx(44 * (5.0 - 4 * epoch_s), rel=1e-3)


def test_one_epoch_alone_tells_nothing_of_the_next(tmp_path: Path) -> None:
    assert courses_of(tmp_path / "c", Recipe(epochs=1)).empty


def test_joules_of_several_provenances_have_no_course_and_seconds_do(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", Recipe())
    runs = analyse(campaign).counted
    runs.loc[runs.index[0], "provenance"] = "estimated"
    row = courses(runs, tables(campaign).phases).set_index("treatment").loc[runs.iloc[0]["treatment"]]
    assert np.isnan(row["energy_j_once"]) and np.isnan(row["energy_j_per_epoch"])
    assert row["duration_s_per_epoch"] > 0


def test_every_treatment_is_held_against_every_other_of_its_group() -> None:
    group = dict.fromkeys(("workload", "dataset", "stage", "device", "settings"), "x")
    table = pd.DataFrame([
        {**group, "treatment": "jax", "energy_j_once": 100.0, "energy_j_per_epoch": 5.0},
        {**group, "treatment": "torch", "energy_j_once": 20.0, "energy_j_per_epoch": 25.0},
        {**group, "treatment": "keras", "energy_j_once": 20.0, "energy_j_per_epoch": np.nan},
    ])  # fmt: skip
    found = break_evens(table)
    assert list(found.columns) == BREAK_EVEN_COLUMNS and len(found) == 6
    told = found.set_index(["treatment", "reference"])
    assert told.loc[("jax", "torch"), "epochs"] == 5  # 4 epochs cost 120 J in both
    assert told.loc[("torch", "jax"), ["epochs", "reason", "until"]].tolist() == [
        1, "costs less from the start, but no longer from epoch 4 on", 3,
    ]  # fmt: skip
    assert (
        pd.isna(told.loc[("jax", "keras"), "epochs"])
        and told.loc[("jax", "keras"), "reason"] == "a cost is unknown"
    )
