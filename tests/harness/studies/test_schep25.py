"""Schep 2025: the study's own pipeline, on runs with the printed moments and on files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from harness import store, studies
from harness.analysis.summary import analyse
from harness.analysis.tables import measured, tables
from harness.errors import UsageError
from harness.importers import writing
from harness.studies.base import NOT_COMPARED, YES, Reproduction, printed
from harness.studies.schep25 import method, simulate
from harness.studies.schep25.audit import separated_p
from tests.foreign import energibridge


@pytest.fixture(scope="module")
def simulated() -> Reproduction:
    return studies.reproduce("schep25", None)


def messages(found: Reproduction, code: str) -> list[str]:
    return [one.message for one in found.audit if one.code == code]


def test_simulated_runs_have_the_printed_moments_to_nine_digits(simulated: Reproduction) -> None:
    held = [one for one in simulated.cells if one.match != NOT_COMPARED]
    assert len(held) == 12  # mean and standard deviation of time and energy, three frameworks
    assert {one.match for one in held} == {YES}
    assert simulated.notes[-1].startswith("SIMULATED") or any(
        one.startswith("SIMULATED") for one in simulated.notes
    )


def test_what_moments_do_not_determine_is_not_compared(simulated: Reproduction) -> None:
    medians = [one for one in simulated.cells if one.column.endswith("median")]
    assert {one.match for one in medians} == {NOT_COMPARED}


def test_simulated_runs_lead_to_the_study_s_ranking(simulated: Reproduction) -> None:
    changes = {(one.row, one.column): one for one in simulated.cells if one.table == "3-5"}
    assert len(changes) == 12
    for one in changes.values():
        assert (1 + one.ours / 100) / (1 + one.published.value / 100) == pytest.approx(1, abs=0.03)


def test_the_simulation_is_a_campaign_marked_as_simulated(tmp_path: Path) -> None:
    imported = simulate.campaign()
    folder = writing.write(imported, "schep25", tmp_path / "c")
    campaign = store.load_campaign(folder)
    runs = measured(tables(campaign).runs)
    assert set(runs["provenance"]) == {"simulated"}
    assert runs.groupby("framework")["energy_j"].mean()["keras"] == pytest.approx(4914.063748333906)
    ratio = analyse(campaign, "keras").costs.query("treatment == 'torch 2.6.0' and quantity == 'energy_j'")[
        "ratio"
    ]
    assert ratio.iloc[0] == pytest.approx(1.6262, abs=0.01)


def test_printed_p_values_tell_how_many_runs_there_were(simulated: Reproduction) -> None:
    """Of groups that never overlap, the rank-sum p depends on the numbers alone."""
    assert separated_p(38, 30) == pytest.approx(2.0057822661250468e-12, rel=1e-12)
    assert separated_p(30, 30) > 1e-11
    assert "38 against 30 runs" in messages(simulated, "runs-differ-from-text")[0]


def test_printed_changes_follow_from_printed_medians(simulated: Reproduction) -> None:
    assert messages(simulated, "arithmetic") == ["12 of 12 printed changes follow from the printed medians"]


def test_every_printed_number_of_the_appendix_is_there() -> None:
    assert len(printed("schep25_summary.csv")) == 3 * 4 * 6
    assert len(printed("schep25_comparisons.csv")) == 3 * 4 * 4


def write_runs(folder: Path, joules: dict[str, list[float]]) -> Path:
    begin_ms = 1_740_000_000_000
    for name, values in joules.items():
        for number, value in enumerate(values):
            begin_ms += 60_000
            energibridge(folder / name / f"{name}_{number}.csv", (100.0, 100.0 + value), begin_ms)
    return folder


JOULES = {
    name: [least + i for i in range(12)]
    for name, least in (("keras", 50.0), ("torch", 80.0), ("jax_jit", 155.0))
}


def test_files_of_energibridge_go_through_the_same_pipeline(tmp_path: Path) -> None:
    found = studies.reproduce("schep25", write_runs(tmp_path, JOULES))
    cells = {(one.row, one.column): one for one in found.cells}
    assert cells["keras", "energy_j median"].ours == pytest.approx(55.5)
    assert cells["keras and jax", "energy_j"].ours == pytest.approx(100 * (160.5 / 55.5 - 1))
    assert cells["keras", "energy_j median"].match == "no"
    assert messages(found, "runs") == ["files: keras 12, torch 12, jax 12"]


def test_compiled_jax_is_taken_where_there_is_both(tmp_path: Path) -> None:
    found = studies.reproduce("schep25", write_runs(tmp_path, {**JOULES, "jax": [1.0] * 12}))
    assert {one.row: one.ours for one in found.cells if one.column == "energy_j min"}["jax"] == pytest.approx(
        155
    )


def test_a_far_run_is_left_out_of_the_quantity_it_is_far_in_and_named(tmp_path: Path) -> None:
    found = studies.reproduce(
        "schep25", write_runs(tmp_path, {**JOULES, "keras": [50.0 + i / 10 for i in range(20)] + [500.0]})
    )
    assert "keras: keras_20.csv from energy_j" in messages(found, "outliers-removed")[0]
    assert {one.row: one.ours for one in found.cells if one.column == "energy_j max"}["keras"] < 60


def test_a_counter_that_wrapped_is_named(tmp_path: Path) -> None:
    folder = write_runs(tmp_path, JOULES)
    energibridge(folder / "torch/torch_12.csv", (65_000.0, 20.0), 1_750_000_000_000)
    found = studies.reproduce("schep25", folder)
    assert messages(found, "counter-wrapped") == ["the energy counter wrapped in 1 runs: torch_12.csv"]
    assert {one.row: one.ours for one in found.cells if one.column == "energy_j min"}[
        "torch"
    ] == pytest.approx(80)


def test_a_folder_without_one_of_the_three_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no runs of torch"):
        studies.reproduce("schep25", write_runs(tmp_path, {"keras": [1.0], "jax": [1.0]}))


@settings(deadline=None)  # a busy machine is no fault
@given(some.lists(some.floats(1, 1e6), min_size=1, max_size=10))
def test_three_sigma_can_exclude_nothing_of_ten(values: list[float]) -> None:
    """Rule R28: of n values none lies farther than (n - 1) / sqrt(n) standard deviations."""
    assert not method.outside(np.array(values)).any()
