"""What a report may say: means, ratios, references, exclusions, parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from harness.analysis.parts import STARTUP
from harness.analysis.quantities import costed, of_rows
from harness.analysis.summary import Analysis, analyse
from harness.errors import UsageError
from harness.records import Outcome
from tests.campaigns import Recipe, build

THREE = {"torch": 1.0, "tensorflow": 1.3, "keras": 1.01}


def cost(analysis: Analysis, framework: str, quantity: str) -> pd.Series:
    rows = analysis.costs
    found = rows[rows["treatment"].str.startswith(framework) & (rows["quantity"] == quantity)]
    assert len(found) == 1
    return found.iloc[0]


def test_means_are_geometric_over_the_runs_that_count(tmp_path: Path) -> None:
    outcomes = {("tensorflow", 2): Outcome.INVALID, ("tensorflow", 3): Outcome.FAILED}
    analysis = analyse(build(tmp_path / "c", Recipe(blocks=5, noise=0.2, outcomes=outcomes)))
    counted = analysis.runs[(analysis.runs["framework"] == "tensorflow") & (analysis.runs["outcome"] == "ok")]
    row = cost(analysis, "tensorflow", "energy_j")
    assert row["mean"] == pytest.approx(stats.gmean(counted["energy_j"]))
    assert (row["n"], row["runs"], len(counted)) == (3, 3, 3)


@pytest.mark.parametrize("quantity", [one.name for one in costed() if one.compared])
def test_ratios_pair_within_blocks_against_the_first_of_the_plan(tmp_path: Path, quantity: str) -> None:
    analysis = analyse(build(tmp_path / "c", Recipe(frameworks=THREE, blocks=4, noise=0.05)))
    rows = analysis.costs[analysis.costs["quantity"] == quantity].set_index("treatment")
    reference = "torch 2.13.0"
    assert set(rows["reference"]) == {reference}
    assert rows.loc[reference, "verdict"] == "reference"
    for name, row in rows.drop(reference).iterrows():
        assert row["ratio"] == pytest.approx(row["mean"] / rows.loc[reference, "mean"]), name
        assert row["blocks"] == 4
        assert row["low"] <= row["ratio"] <= row["high"]


@pytest.mark.parametrize("wanted", ["tensorflow", "tensorflow 2.21.0"])
def test_a_chosen_reference_holds_for_every_quantity(tmp_path: Path, wanted: str) -> None:
    analysis = analyse(build(tmp_path / "c", Recipe(frameworks=THREE)), wanted)
    compared = analysis.costs[analysis.costs["quantity"].isin([one.name for one in costed() if one.compared])]
    assert set(compared["reference"]) == {"tensorflow 2.21.0"}
    assert cost(analysis, "torch", "energy_j")["ratio"] == pytest.approx(1 / 1.3, rel=0.1)
    assert cost(analysis, "torch", "energy_j")["verdict"] == "better"


def test_an_unknown_reference_is_a_usage_error_with_the_nearest_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="did you mean 'torch"):
        analyse(build(tmp_path / "c"), "troch 2.13.0")


def test_mixed_provenances_refuse_every_comparison_of_energy_and_none_of_time(tmp_path: Path) -> None:
    analysis = analyse(build(tmp_path / "c", Recipe(meters={"tensorflow": "estimate"})))
    for one in costed():
        row = cost(analysis, "tensorflow", one.name)
        if one.energy and one.compared:
            assert pd.isna(row["ratio"]) and not row["best"]
            assert row["ratio_reason"] == "estimated and measured energy are never compared"
            assert row["provenance"] == "estimated"
        elif one.compared:
            assert row["ratio"] > 0
    assert not analysis.costs[analysis.costs["quantity"] == "energy_j"]["best"].any()


def test_a_chosen_reference_of_another_provenance_is_refused_too(tmp_path: Path) -> None:
    analysis = analyse(build(tmp_path / "c", Recipe(meters={"tensorflow": "estimate"})), "torch")
    assert "never compared" in cost(analysis, "tensorflow", "energy_j")["ratio_reason"]


def test_without_energy_times_are_compared_and_joules_stay_unknown_with_a_reason(tmp_path: Path) -> None:
    analysis = analyse(build(tmp_path / "c", Recipe(meter=None)))
    energy = cost(analysis, "tensorflow", "energy_j")
    assert pd.isna(energy["mean"]) and energy["reason"] == "no energy channel on this machine"
    assert cost(analysis, "tensorflow", "duration_s")["ratio"] == pytest.approx(1.3, rel=0.05)
    assert analysis.parts["energy_j"].isna().all() and analysis.parts["duration_s"].notna().all()


def test_one_block_gives_a_ratio_without_an_interval(tmp_path: Path) -> None:
    row = cost(analyse(build(tmp_path / "c", Recipe(blocks=1))), "tensorflow", "energy_j")
    assert row["ratio"] > 1 and pd.isna(row["low"]) and row["verdict"] == "inconclusive"


def test_only_what_has_a_rival_is_best(tmp_path: Path) -> None:
    alone = analyse(build(tmp_path / "a", Recipe(frameworks={"torch": 1.0})))
    assert not alone.costs["best"].any()
    two = analyse(build(tmp_path / "b"))
    assert cost(two, "torch", "energy_j")["best"] and not cost(two, "tensorflow", "energy_j")["best"]
    assert not two.costs[two.costs["quantity"] == "mean_power_w"]["best"].any()


def test_every_excluded_run_is_listed_with_its_reason(tmp_path: Path) -> None:
    outcomes = {("torch", 1): Outcome.FAILED, ("torch", 2): Outcome.INVALID}
    analysis = analyse(build(tmp_path / "c", Recipe(prepare=True, outcomes=outcomes, unfinished=1)))
    reasons = analysis.excluded["exclusion"].tolist()
    assert sorted(reasons) == sorted([
        "preparation run for stage infer", "preparation run for stage infer",
        "failed: the worker ended with exit code 1", "invalid: a sampling gap of 4.2 s",
    ])  # fmt: skip
    assert len(analysis.counted) + len(analysis.excluded) == len(analysis.runs) == 7
    assert len(analysis.open) == 1


def test_the_parts_add_up_to_the_mean_of_the_whole_runs(tmp_path: Path) -> None:
    analysis = analyse(build(tmp_path / "c", Recipe(noise=0.1)))
    inside = analysis.parts[analysis.parts["part"] != STARTUP]
    sums = inside.groupby("treatment")[["energy_j", "duration_s"]].sum()
    wholes = analysis.counted.groupby("treatment")[["energy_j", "duration_s"]].mean()
    pd.testing.assert_frame_equal(sums, wholes, check_exact=False, rtol=1e-9)


def test_the_first_epoch_and_compilation_stand_apart(tmp_path: Path) -> None:
    analysis = analyse(build(tmp_path / "c", Recipe(epochs=5, noise=0.0)))
    torch = analysis.parts[analysis.parts["treatment"].str.startswith("torch")].set_index("part")[
        "duration_s"
    ]
    assert torch["train, later epochs"] == pytest.approx(2 * torch["train, first epoch"], rel=1e-6)
    assert torch["compile"] == pytest.approx(0.3) and torch["startup"] == pytest.approx(0.3)


def test_stages_and_settings_are_groups_of_their_own(tmp_path: Path) -> None:
    analysis = analyse(build(tmp_path / "c", Recipe(stages=("train", "infer"))))
    assert [group.title for group in analysis.groups] == [
        "mnist_cnn · train · digits",
        "mnist_cnn · infer · digits",
    ]
    assert (analysis.groups[1].select(analysis.costs)["stage"] == "infer").all()


def test_a_counter_that_stops_early_leaves_the_energy_unknown_and_the_run_in(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", Recipe(blocks=2))
    run = next(one for one in campaign.runs if one.record.planned.treatment.framework == "torch")
    samples = pd.read_parquet(run.samples_path)
    dram = (samples["channel"] == "rapl/package-0/dram") & (samples["t_ns"] > run.record.go_ns + 10**9)
    samples[~dram].to_parquet(run.folder / "samples.parquet", index=False)
    row = cost(analyse(campaign), "torch", "energy_j")
    assert (row["n"], row["runs"]) == (1, 2)
    assert cost(analyse(campaign), "tensorflow", "energy_j")["blocks"] == 1


def test_quality_is_an_arithmetic_mean_per_epoch_and_of_the_last(tmp_path: Path) -> None:
    analysis = analyse(build(tmp_path / "c", Recipe(epochs=2)))
    epochs = analysis.epochs[
        (analysis.epochs["metric"] == "accuracy") & analysis.epochs["treatment"].str.startswith("torch")
    ]
    assert epochs[["mean", "low", "high"]].to_numpy() == pytest.approx(
        np.array([[0.7, 0.6, 0.8], [0.8, 0.7, 0.9]])
    )
    finals = analysis.finals.set_index(["treatment", "metric"])["mean"]
    assert finals["torch 2.13.0", "loss"] == pytest.approx(0.45)
    assert cost(analysis, "torch", "quality")["mean"] == pytest.approx(0.8)


def test_derived_costs_are_formed_run_by_run(tmp_path: Path) -> None:
    analysis = analyse(build(tmp_path / "c", Recipe(blocks=4, epochs=5, noise=0.1)))
    runs = analysis.counted[analysis.counted["framework"] == "torch"]
    expected = {
        "energy_delay_js": runs["energy_j"] * runs["duration_s"],
        "stage_energy_j_per_epoch": runs["stage_energy_j"] / 5,
        "stage_energy_j_per_sample": runs["stage_energy_j"] / (5 * 1437),
        "quality_per_kj": 1000 * runs["quality"] / runs["energy_j"],
    }
    for quantity, values in expected.items():
        assert cost(analysis, "torch", quantity)["mean"] == pytest.approx(stats.gmean(values)), quantity


def test_inference_has_no_cost_per_epoch(tmp_path: Path) -> None:
    row = cost(analyse(build(tmp_path / "c", Recipe(stages=("infer",)))), "torch", "stage_energy_j_per_epoch")
    assert pd.isna(row["mean"]) and row["reason"] == "not recorded"


def test_pages_leave_out_what_inference_has_not(tmp_path: Path) -> None:
    analysis = analyse(build(tmp_path / "c", Recipe(stages=("train", "infer"))))
    shown = {
        group.stage: {one.name for one in of_rows(group.select(analysis.costs))} for group in analysis.groups
    }
    assert shown["train"] - shown["infer"] == {"stage_energy_j_per_epoch"}
