"""Fewer points that draw the same picture: peaks, ends and short series survive."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from reports.decimation import decimated


def rows(values: list[float], series: str = "a") -> pd.DataFrame:
    return pd.DataFrame({"series": series, "t_s": np.arange(len(values)) / 10, "value": values})


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=300), st.integers(1, 20), st.integers(0, 299))
def test_minimum_maximum_and_ends_are_kept_in_order(values: list[float], slices: int, gap: int) -> None:
    frame = rows(values)
    frame.loc[frame["t_s"] >= gap / 10, "t_s"] += 1000  # a pause in the sampling
    kept = decimated(frame, "series", "t_s", "value", slices)
    assert len(kept) <= max(4 * slices, 1)
    assert kept["value"].min() == min(values) and kept["value"].max() == max(values)
    assert list(kept["t_s"].iloc[[0, -1]]) == list(frame["t_s"].iloc[[0, -1]])
    assert kept["t_s"].is_monotonic_increasing
    assert len(kept.merge(frame)) == len(kept)  # no point is made up


def test_each_slice_of_time_keeps_its_own_peak() -> None:
    values = np.zeros(100_000)
    values[[12_345, 50_001, 99_998]] = 9.0
    kept = decimated(rows(list(values)), "series", "t_s", "value", 400)
    assert (kept["value"] == 9.0).sum() == 3 and len(kept) <= 1600


def test_short_series_stay_whole_and_each_series_is_decimated_by_itself() -> None:
    both = pd.concat([rows([1.0] * 50), rows(list(np.arange(10_000.0)), "b")], ignore_index=True)
    kept = decimated(both, "series", "t_s", "value", 100)
    assert (kept["series"] == "a").sum() == 50
    assert 100 <= (kept["series"] == "b").sum() <= 400


def test_no_rows_and_unknown_values_give_no_points() -> None:
    assert decimated(rows([]), "series", "t_s", "value", 9).empty
    assert decimated(rows([float("nan")] * 5), "series", "t_s", "value", 9).empty
