"""Few rows that hide nothing: each slice has its own extremes, the line the integral, and short series stay whole."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.bands import banded, weights_of

VALUES = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=300)


def rows(values: list[float], series: str = "a") -> pd.DataFrame:
    return pd.DataFrame({"series": series, "t_s": np.arange(len(values)) / 10, "value": values})


def of(frame: pd.DataFrame, slices: int) -> pd.DataFrame:
    return banded(frame, "series", "t_s", "value", slices)


@given(VALUES, st.integers(1, 20), st.integers(0, 299))
def test_extremes_are_kept_in_order_and_the_mean_lies_between(
    values: list[float], slices: int, gap: int
) -> None:
    frame = rows(values)
    frame.loc[frame["t_s"] >= gap / 10, "t_s"] += 1000  # a pause in the sampling
    found = of(frame, slices)
    assert 1 <= len(found) <= slices or len(found) == len(values) <= slices
    assert found["low"].min() == min(values) and found["high"].max() == max(values)
    assert found["t_s"].is_monotonic_increasing and found["t_s"].between(0, frame["t_s"].max()).all()
    assert (found["low"] <= found["mean"]).all() and (found["mean"] <= found["high"]).all()


@given(VALUES.filter(lambda values: len(values) > 1), st.integers(1, 20))
def test_the_line_has_the_integral_of_the_readings(values: list[float], slices: int) -> None:
    t = np.arange(len(values)) / 10
    weights = weights_of(t)
    assert np.sum(weights * values) == pytest.approx(np.trapezoid(values, t), rel=1e-9, abs=1e-6)
    (whole,) = of(rows(values), 1)["mean"]
    assert whole * t[-1] == pytest.approx(np.trapezoid(values, t), rel=1e-9, abs=1e-6)


def test_each_slice_of_time_keeps_its_own_peak() -> None:
    values = np.zeros(100_000)
    values[[12_345, 50_001, 99_998]] = 9.0
    found = of(rows(list(values)), 400)
    assert (found["high"] == 9.0).sum() == 3 and (found["low"] == 0.0).all() and len(found) == 400


def test_short_series_stay_whole_and_each_series_is_sliced_by_itself() -> None:
    both = pd.concat([rows([1.0, 3.0, 2.0]), rows(list(np.arange(10_000.0)), "b")], ignore_index=True)
    found = of(both, 100)
    short = found[found["series"] == "a"]
    assert list(short["mean"]) == list(short["low"]) == list(short["high"]) == [1.0, 3.0, 2.0]
    assert list(short["t_s"]) == [0.0, 0.1, 0.2]
    assert (found["series"] == "b").sum() == 100


def test_no_rows_and_unknown_values_give_none() -> None:
    assert of(rows([]), 9).empty
    assert of(rows([float("nan")] * 5), 9).empty
