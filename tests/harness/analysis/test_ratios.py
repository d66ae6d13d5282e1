"""p / p_min, performance profiles and the energy-delay product."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from harness.analysis.ratios import energy_delay_js, over_best, per

COSTS = pd.DataFrame({"a": [1.0, 6.0, 2.0], "b": [2.0, 3.0, None]}, index=["w1", "w2", "w3"])


def test_the_best_of_each_row_is_1() -> None:
    assert over_best(COSTS).to_dict("list") == {
        "a": [1, 2, 1],
        "b": [2, 1, pytest.approx(np.nan, nan_ok=True)],
    }


def test_a_row_with_a_value_that_is_not_positive_has_no_ratios() -> None:
    assert over_best(COSTS.replace(6.0, 0.0)).loc["w2"].isna().all()


def test_products_and_rates_are_unknown_where_a_part_is() -> None:
    energy_j, duration_s = pd.Series([10.0, None]), pd.Series([2.0, 2.0])
    assert energy_delay_js(energy_j, duration_s).tolist() == [20, pytest.approx(np.nan, nan_ok=True)]
    assert per(pd.Series([6.0, 6.0]), pd.Series([3.0, 0.0])).tolist() == [
        2,
        pytest.approx(np.nan, nan_ok=True),
    ]
