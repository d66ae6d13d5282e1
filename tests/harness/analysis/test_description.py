"""Descriptions against SciPy, R's quantiles and the example of Shapiro and Wilk."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from harness.analysis.description import DESCRIPTION_COLUMNS, describe, descriptions, shapiro
from tests.harness.analysis.examples import WEIGHTS, WEIGHTS_W


def test_w_is_that_of_shapiro_and_wilk() -> None:
    found = shapiro(WEIGHTS)
    assert found.w == pytest.approx(WEIGHTS_W, abs=0.005)
    assert found.p is not None and found.p < 0.01


def test_every_number_of_a_description() -> None:
    row = describe(pd.Series([*WEIGHTS, None]))
    assert row["n"] == 11
    assert (row["mean"], row["median"]) == (pytest.approx(WEIGHTS.mean()), 162)
    assert row["sd"] == pytest.approx(stats.tstd(WEIGHTS))
    assert row["geometric_mean"] == pytest.approx(stats.gmean(WEIGHTS))
    assert row["geometric_sd"] == pytest.approx(stats.gstd(WEIGHTS))
    # R: quantile(weights, c(0, .05, .25, .75, .95, 1))
    assert row[["min", "q05", "q25", "q75", "q95", "max"]].tolist() == [148, 151, 159, 176, 215.5, 236]


def test_what_cannot_be_known_is_null() -> None:
    assert describe(pd.Series([], dtype=float)).isna().tolist() == [False] + [True] * 13
    one = describe(pd.Series([3.0]))
    assert (one["n"], one["mean"]) == (1, 3) and one[["sd", "geometric_sd", "shapiro_w"]].isna().all()
    negative = describe(pd.Series([-1.0, 1.0, 2.0]))
    assert np.isnan(negative["geometric_mean"]) and negative["mean"] == pytest.approx(2 / 3)
    assert shapiro(np.ones(5)) == (None, None)


def test_a_row_for_each_group_and_quantity() -> None:
    runs = pd.DataFrame(
        {"treatment": ["a", "a", "b"], "energy_j": [1.0, 3.0, 5.0], "duration_s": [1.0, 1.0, None]}
    )
    table = descriptions(runs, ["treatment"], ["energy_j", "duration_s"])
    assert list(table.columns) == ["treatment", "quantity", *DESCRIPTION_COLUMNS]
    means = table.set_index(["treatment", "quantity"])["mean"].to_dict()
    assert means == pytest.approx(
        {
            ("a", "energy_j"): 2,
            ("b", "energy_j"): 5,
            ("a", "duration_s"): 1,
            ("b", "duration_s"): float("nan"),
        },
        nan_ok=True,
    )
