"""Costs of epochs and means of gauges, by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from harness.analysis.epoch_costs import FIRST, LATER, epoch_costs, first_and_later
from harness.analysis.gauges import gauge_costs
from harness.analysis.summary import Analysis, analyse
from tests.campaigns import Recipe, build


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    recipe = Recipe(blocks=3, noise=0.1, epochs=4, meters={"tensorflow": "estimate"})
    return analyse(build(tmp_path_factory.mktemp("epochs") / "c", recipe))


def test_each_epochs_cost_is_the_mean_of_its_training_phases(analysis: Analysis) -> None:
    found = epoch_costs(analysis.counted, analysis.raw.phases)
    assert len(found) == 2 * 4 and set(found["n"]) == {3}
    runs = analysis.counted.set_index("run_id")["treatment"]
    phases = analysis.raw.phases[analysis.raw.phases["phase"] == "train"]
    for row in found.itertuples():
        mine = phases[(phases["run_id"].map(runs) == row.treatment) & (phases["epoch"] == row.epoch)]
        assert row.duration_s == pytest.approx(mine["duration_s"].mean())
        assert row.energy_j == pytest.approx(mine["energy_j"].mean())


def test_the_first_epoch_stands_apart_from_one_of_the_others(analysis: Analysis) -> None:
    """In these campaigns the first takes as long as two."""
    found = first_and_later(analysis.counted, analysis.raw.phases).pivot(
        index="treatment", columns="part", values="duration_s"
    )
    assert (found[FIRST] / found[LATER]).to_numpy() == pytest.approx([2, 2], rel=1e-6)


def test_an_epoch_with_unknown_joules_makes_the_later_ones_unknown(analysis: Analysis) -> None:
    phases = analysis.raw.phases.copy()
    run = analysis.counted["run_id"].iloc[0]
    phases.loc[
        (phases["run_id"] == run) & (phases["epoch"] == 3) & (phases["phase"] == "train"), "energy_j"
    ] = np.nan
    found = first_and_later(analysis.counted, phases)
    mine = found[found["treatment"] == analysis.counted["treatment"].iloc[0]].set_index("part")["energy_j"]
    assert pd.isna(mine[LATER]) and mine[FIRST] > 0


def test_joules_of_several_provenances_have_no_mean(analysis: Analysis) -> None:
    runs = analysis.counted.assign(treatment="the same")
    found = epoch_costs(runs, analysis.raw.phases)
    assert found["energy_j"].isna().all() and found["duration_s"].notna().all()


def test_gauges_are_means_over_the_measured_window(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", Recipe(blocks=1, seconds=10.0, noise=0.0, frameworks={"torch": 1.0}))
    row = gauge_costs(campaign.runs).set_index("gauge").loc["memory_peak"]
    run = campaign.runs[0]
    assert run.record.go_ns is not None and run.record.done_ns is not None
    samples = pd.read_parquet(run.samples_path)
    mine = samples[samples["channel"] == "process/memory_peak"]
    at = np.linspace(run.record.go_ns, run.record.done_ns, 20_001)
    assert row["mean"] == pytest.approx(np.interp(at, mine["t_ns"], mine["value"]).mean(), rel=1e-6)
    window = mine[mine["t_ns"].between(run.record.go_ns, run.record.done_ns)]["value"]
    assert (row["min"], row["max"], row["unit"]) == (window.min(), window.max(), "bytes")


def test_runs_without_gauges_have_none(tmp_path: Path) -> None:
    assert gauge_costs([]).empty
