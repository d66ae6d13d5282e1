"""p / p_min, performance profiles and the energy-delay product."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from harness.analysis.ranks import mean_ranks
from harness.analysis.ratios import cost_table, energy_delay_js, over_best, per, performance_profile
from harness.analysis.summary import analyse
from tests.campaigns import Recipe, build

COSTS = pd.DataFrame({"a": [1.0, 6.0, 2.0], "b": [2.0, 3.0, None]}, index=["w1", "w2", "w3"])


def test_the_best_of_each_row_is_1() -> None:
    assert over_best(COSTS).to_dict("list") == {
        "a": [1, 2, 1],
        "b": [2, 1, pytest.approx(np.nan, nan_ok=True)],
    }


def test_a_row_with_a_value_that_is_not_positive_has_no_ratios() -> None:
    assert over_best(COSTS.replace(6.0, 0.0)).loc["w2"].isna().all()


def test_a_profile_counts_the_rows_within_a_factor_of_the_best_and_an_unknown_cost_as_never() -> None:
    profile = performance_profile(COSTS).set_index("treatment")
    assert profile.loc["a"].to_numpy() == pytest.approx(np.array([[1, 1 / 3], [1, 2 / 3], [2, 1]]))
    assert profile.loc["b"].to_numpy() == pytest.approx(np.array([[1, 1 / 3], [2, 2 / 3]]))


def test_products_and_rates_are_unknown_where_a_part_is() -> None:
    energy_j, duration_s = pd.Series([10.0, None]), pd.Series([2.0, 2.0])
    assert energy_delay_js(energy_j, duration_s).tolist() == [20, pytest.approx(np.nan, nan_ok=True)]
    assert energy_delay_js(energy_j, duration_s, weight=2)[0] == 40
    assert per(pd.Series([6.0, 6.0]), pd.Series([3.0, 0.0])).tolist() == [
        2,
        pytest.approx(np.nan, nan_ok=True),
    ]


def test_costs_of_a_campaign_become_a_table_of_groups_by_treatments(tmp_path: Path) -> None:
    factors = {"torch": 1.0, "tensorflow": 1.3, "keras": 1.6}
    analysis = analyse(
        build(tmp_path / "c", Recipe(frameworks=factors, stages=("train", "infer"), noise=0.0))
    )
    table = cost_table(analysis.costs, "duration_s")
    assert table.shape == (2, 3) and table.index.get_level_values("stage").tolist() == ["infer", "train"]
    assert over_best(table).loc[:, "keras 3.15.1"].to_numpy() == pytest.approx([1.6, 1.6], rel=1e-6)
    assert mean_ranks(table).to_dict() == {"torch 2.13.0": 1, "tensorflow 2.21.0": 2, "keras 3.15.1": 3}
