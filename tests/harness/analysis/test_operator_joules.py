"""Joules of operators: those of what was recorded, which has its place within the run, or why there are none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from harness.analysis.operator_joules import FEWEST_READINGS
from harness.analysis.times_within import OperatorTimes, operator_times
from harness.profiling.operator_files import OPERATORS_FILE
from harness.records import Profiler
from harness.store import Campaign
from tests.campaigns import Recipe
from tests.profiled_within import build_within

ONE = Recipe(frameworks={"torch": 1.0}, blocks=1, noise=0.0)
WATTS = ONE.watts + ONE.dram_watts


def made(folder: Path, recorded_s: float = 2.0, recipe: Recipe = ONE) -> Campaign:
    return build_within(folder / "c", recipe, Profiler.OPERATORS, recorded_s=recorded_s)


def told(campaign: Campaign) -> OperatorTimes:
    (run,) = operator_times(campaign)
    assert run.times is not None
    return run.times


def altered(campaign: Campaign, columns: Mapping[str, Any]) -> OperatorTimes:
    path = campaign.runs[0].folder / OPERATORS_FILE
    pd.read_csv(path).assign(**columns).to_csv(path, index=False)
    return told(campaign)


def test_the_balance_is_that_of_what_was_recorded(tmp_path: Path) -> None:
    """Three quarters of it had operators, 3 s and 6 s and 1 s of them."""
    times = told(made(tmp_path))
    joules = times.joules
    assert joules is not None and joules.told_apart and joules.provenance == "measured"
    assert joules.energy_j == pytest.approx(2.0 * WATTS, rel=1e-6)
    assert joules.shares.total_j == pytest.approx(joules.energy_j, rel=1e-3)
    assert joules.shares.nothing_j == pytest.approx(0.5 * WATTS, rel=1e-6)
    rows = times.operators.set_index("name")
    assert rows["joules"].to_dict() == pytest.approx(
        {"ConvolutionBackward0": 0.9 * WATTS, "aten::conv2d": 0.45 * WATTS, "SGD.step": 0.15 * WATTS}
    )
    assert (rows["least_j"] <= rows["joules"]).all() and (rows["joules"] <= rows["most_j"]).all()


def test_joules_of_one_operator_are_those_of_all_its_names(tmp_path: Path) -> None:
    recipe = Recipe(frameworks={"jax": 1.0}, blocks=1)
    times = told(made(tmp_path, recipe=recipe))
    assert times.by_operator["joules"].sum() == pytest.approx(times.operators["joules"].sum())
    assert len(times.by_operator) < len(times.operators)


def test_a_meter_that_read_too_seldom_tells_no_least_and_most(tmp_path: Path) -> None:
    joules = told(made(tmp_path, recorded_s=0.35)).joules
    assert joules is not None and joules.readings < FEWEST_READINGS and not joules.told_apart


@pytest.mark.parametrize(
    ("columns", "why"),
    [
        ({"began_ns": None}, "when it was recorded is not told: profile anew"),
        ({"recorded_s": 60.0}, "lies outside of its run"),
        ({"recorded_s": 0.0}, "lies outside of its run"),
        ({"began_ns": 5}, "lies outside of its run"),
    ],
)
def test_a_word_that_cannot_be_true_gives_no_joules(
    tmp_path: Path, columns: Mapping[str, Any], why: str
) -> None:
    times = altered(made(tmp_path), columns)
    assert times.joules is None and why in times.reason
    assert times.operators["joules"].isna().all() and times.operators["share"].sum() == pytest.approx(1)


def test_a_table_of_before_has_times_and_no_joules(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    path = campaign.runs[0].folder / OPERATORS_FILE
    pd.read_csv(path).drop(columns=["began_ns", "covered_s"]).to_csv(path, index=False)
    assert "profile anew" in told(campaign).reason


def test_without_a_meter_and_on_a_gpu_the_reason_is_said(tmp_path: Path) -> None:
    unmetered = told(made(tmp_path / "none", recipe=Recipe(frameworks={"torch": 1.0}, blocks=1, meter=None)))
    assert "no energy channel" in unmetered.reason
    campaign = made(tmp_path)
    (run,) = campaign.runs
    treatment = run.record.planned.treatment.model_copy(update={"device": "cuda"})
    planned = run.record.planned.model_copy(update={"treatment": treatment})
    on_gpu = replace(run, record=run.record.model_copy(update={"planned": planned}))
    assert "on the CPU alone" in told(replace(campaign, runs=(on_gpu,))).reason
