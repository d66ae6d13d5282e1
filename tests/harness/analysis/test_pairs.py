"""What a ratio is told from: which blocks count, and how sure each is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from harness.analysis.pairs import BELOW_RESOLUTION, block_logs, unspread

UNCERTAINTY, STEP = ("half", "energy_j"), ("step", "energy_j")


def runs(**columns: list[float | None]) -> pd.DataFrame:
    first = next(iter(columns.values()))
    return pd.DataFrame({"block": range(1, len(first) + 1), **columns}).astype(
        dict.fromkeys(columns, "float64")
    )


def test_measuring_adds_in_quadrature_over_both_sides() -> None:
    mine, other = runs(energy_j=[100, 100], half=[3, 3]), runs(energy_j=[50, 50], half=[2, 2])
    pair = block_logs(mine, "energy_j", UNCERTAINTY).over(block_logs(other, "energy_j", UNCERTAINTY))
    assert pair is not None and pair.measured == pytest.approx([0.05 / 1.96] * 2)
    assert pair.mean_measured == pytest.approx(0.05 / 1.96 / np.sqrt(2))


@pytest.mark.parametrize("half", [[None, 3.0], [3.0, None]])
def test_a_run_of_unknown_uncertainty_is_taken_for_the_least_sure_and_never_for_sure(
    half: list[float | None],
) -> None:
    mine, other = runs(energy_j=[100, 100], half=half), runs(energy_j=[50, 50], half=[0.1, 0.1])
    pair = block_logs(mine, "energy_j", UNCERTAINTY).over(block_logs(other, "energy_j", UNCERTAINTY))
    assert pair is not None and pair.measured is not None
    assert pair.measured == pytest.approx([np.hypot(0.03, 0.002) / 1.96] * 2)


def test_where_nothing_is_known_of_measuring_nothing_is_said() -> None:
    one = block_logs(runs(energy_j=[1, 2], half=[None, None]), "energy_j", UNCERTAINTY)
    pair = one.over(one)
    assert pair is not None and (pair.measured, pair.mean_measured) == (None, None)


def test_the_steps_of_both_sides_count() -> None:
    mine, other = runs(energy_j=[100, 200], step=[1, 1]), runs(energy_j=[50, 50], step=[1, 1])
    pair = block_logs(mine, "energy_j", None, STEP).over(block_logs(other, "energy_j", None, STEP))
    assert pair is not None and pair.resolution == pytest.approx(0.01 + 0.02)


def test_a_block_with_a_value_that_is_not_positive_makes_no_pair() -> None:
    sound, zero, below = (block_logs(runs(energy_j=two), "energy_j") for two in ([1, 2], [1, 0], [1, -1]))
    assert zero.over(sound) is None and sound.over(below) is None
    twice = pd.DataFrame({"block": [1, 1], "energy_j": [4.0, 0.0]})
    assert np.isnan(block_logs(twice, "energy_j").logs).all()


def test_several_runs_of_a_block_are_their_geometric_mean_and_unknown_ones_are_left_out() -> None:
    several = pd.DataFrame({"block": [2, 1, 1, 1], "energy_j": [5.0, 4.0, 9.0, None]})
    found = block_logs(several, "energy_j")
    assert found.blocks.tolist() == [1, 2] and np.exp(found.logs) == pytest.approx([6, 5])


def test_a_spread_of_a_whole_step_of_the_meter_tells_something_and_less_does_not() -> None:
    differences = np.array([0.0, 0.5])
    assert unspread(differences, resolution=0.5) == ""
    assert unspread(differences, resolution=0.51) == BELOW_RESOLUTION
