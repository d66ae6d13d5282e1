"""Model FLOP/s utilisation: the model's operations over the time at work and the peak that a plan states, if any."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness import store
from harness.analysis.summary import analyse
from harness.analysis.tables import RUN_COLUMNS, tables
from tests.campaigns import Recipe, build
from tests.harness.analysis.test_serving import GENERATES

PEAKS = {"cpu-fp32": 4e11, "cpu-bf16": 1e12, "cuda-fp32": 6e13}
NAME = "flops_utilisation"


def stated(folder: Path, recipe: Recipe, peaks: dict[str, float]) -> store.Campaign:
    campaign = build(folder, recipe)
    plan = campaign.record.plan.model_copy(update={"peak_flops_per_s": peaks})
    return replace(campaign, record=campaign.record.model_copy(update={"plan": plan}))


@pytest.mark.parametrize(
    "recipe", [Recipe(blocks=2), replace(GENERATES, blocks=2)], ids=["train", "generate"]
)
def test_it_is_operations_over_seconds_at_work_without_compiling(tmp_path: Path, recipe: Recipe) -> None:
    campaign = stated(tmp_path / "c", recipe, PEAKS)
    found = tables(campaign)
    names = ("train",) if recipe.stages == ("train",) else ("prefill", "decode")
    for run in found.runs.to_dict("records"):
        phases = found.phases[(found.phases["run_id"] == run["run_id"]) & found.phases["phase"].isin(names)]
        at_work_s = phases["duration_s"].sum()
        assert run["worked_s"] == pytest.approx(at_work_s, rel=0.01) and at_work_s < run["stage_duration_s"]
    runs = analyse(campaign).counted
    expected = runs["flops_per_step"] * runs["steps"] / runs["worked_s"] / 4e11
    assert runs[NAME].to_list() == pytest.approx(expected.to_list())
    assert set(analyse(campaign).costs.query("quantity == @NAME")["n"]) == {2}


def test_another_precision_has_another_peak_and_one_without_has_none(tmp_path: Path) -> None:
    settings = ({"precision": "bf16"}, {"precision": "fp16"}, {})
    campaign = stated(tmp_path / "c", Recipe(blocks=1, settings=settings), PEAKS)
    runs = tables(campaign).runs
    told = {one: set(rows["peak_flops_per_s"].fillna(0)) for one, rows in runs.groupby("settings")}
    assert told == {'{"precision": "bf16"}': {1e12}, '{"precision": "fp16"}': {0}, "{}": {4e11}}


def test_nobody_guesses_a_peak(tmp_path: Path) -> None:
    campaign = stated(tmp_path / "c", Recipe(blocks=1), {})
    assert list(tables(campaign).runs.columns) == RUN_COLUMNS
    assert NAME not in set(analyse(campaign).costs["quantity"])
