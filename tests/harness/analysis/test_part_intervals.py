"""How sure the mean of a part of a run is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from harness.analysis.part_intervals import half_widths

WORK = {"workload": "w", "dataset": "d", "stage": "train", "device": "cpu", "settings": "{}"}
LOAD, TRAIN = (1.0, 2.0, 4.0), (10.0, 13.0, 12.0)


def campaign(
    load: tuple[float, ...] = LOAD, train: tuple[float, ...] = TRAIN, **columns: object
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Runs of one treatment, one in each block, and their phases; a joule lasts a tenth of a second."""
    names, blocks = [f"r{number}" for number in range(len(load))], range(1, len(load) + 1)
    whole = np.add(load, train) + 0.5
    runs = pd.DataFrame(
        {"run_id": names, "block": blocks, "treatment": "torch 2", **WORK, "duration_s": whole / 10,
         "energy_j": whole, "provenance": "measured", "energy_boundary": "cpu_package", **columns}
    )  # fmt: skip
    several = [
        pd.DataFrame({"run_id": names, "phase": phase, "epoch": np.nan, "energy_j": each})
        for phase, each in (("load", load), ("evaluate", train))
    ]
    phases = pd.concat(several, ignore_index=True)
    return runs, phases.assign(duration_s=phases["energy_j"] / 10)


def by_part(found: pd.DataFrame, name: str = "energy_j") -> dict[str, float]:
    return dict(zip(found["part"], found[name], strict=True))


def students(values: tuple[float, ...]) -> float:
    """Another's: SciPy's interval of a mean."""
    low, high = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
    return float(high - low) / 2


def test_it_is_students_interval_over_blocks() -> None:
    found = half_widths(*campaign())
    assert by_part(found)["load"] == pytest.approx(students(LOAD))
    assert by_part(found)["evaluate"] == pytest.approx(students(TRAIN))
    assert by_part(found, "duration_s")["load"] == pytest.approx(students(LOAD) / 10)


def test_parts_that_are_told_together_are_added_up_within_each_run() -> None:
    found = by_part(half_widths(*campaign(), {"load": "both", "evaluate": "both"}))
    assert found["both"] == pytest.approx(students(tuple(np.add(LOAD, TRAIN))))


def test_several_runs_of_a_block_are_one_value() -> None:
    load = (1.0, 3.0, 5.0, 7.0)
    runs, phases = campaign(load, (9.0,) * 4)
    found = half_widths(runs.assign(block=[1, 1, 2, 3]), phases)
    assert by_part(found)["load"] == pytest.approx(students((2.0, 5.0, 7.0)))


@pytest.mark.parametrize("load", [(1.0,), (2.0, 2.0, 2.0)])
def test_one_block_or_blocks_that_are_all_alike_tell_no_interval(load: tuple[float, ...]) -> None:
    found = by_part(half_widths(*campaign(load, tuple(9.0 + place for place in range(len(load))))))
    assert np.isnan(found["load"])


def test_joules_that_must_not_meet_have_none_and_their_seconds_have() -> None:
    found = half_widths(*campaign(provenance=["measured", "estimated", "measured"]))
    assert found["energy_j"].isna().all() and by_part(found, "duration_s")["load"] > 0


def test_an_unknown_addend_leaves_its_run_out() -> None:
    runs, phases = campaign()
    phases.loc[0, "energy_j"] = np.nan
    found = by_part(half_widths(runs, phases, {"load": "both", "evaluate": "both"}))
    assert found["both"] == pytest.approx(students((LOAD[1] + TRAIN[1], LOAD[2] + TRAIN[2])))


def test_of_a_merged_campaign_it_is_over_nodes_whose_sessions_weigh_alike() -> None:
    load = (1.0, 3.0, 8.0, 20.0, 30.0)
    runs, phases = campaign(load, (9.0, 8.0, 7.0, 6.0, 5.0))
    found = half_widths(runs.assign(session=[1, 1, 2, 3, 4], node=[1, 1, 1, 2, 3]), phases)
    assert by_part(found)["load"] == pytest.approx(students(((2.0 + 8.0) / 2, 20.0, 30.0)))
    found = half_widths(runs.assign(session=[1, 1, 2, 3, 4]), phases)
    assert by_part(found)["load"] == pytest.approx(students((2.0, 8.0, 20.0, 30.0)))
