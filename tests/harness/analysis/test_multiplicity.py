"""Corrections against statsmodels, and as laws."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.analysis.multiplicity import BONFERRONI, corrected, holm
from tests.harness.analysis.examples import BONFERRONI_P, HOLM_P, RAW_P


def bonferroni(p: pd.Series) -> pd.Series:
    return corrected(p, p * 0 + 5, BONFERRONI, int(p.notna().sum()))


def test_both_are_those_of_statsmodels() -> None:
    assert holm(pd.Series(RAW_P)).tolist() == pytest.approx(HOLM_P)
    assert bonferroni(pd.Series(RAW_P)).tolist() == pytest.approx(BONFERRONI_P)


def test_an_unknown_p_stays_unknown_and_counts_as_no_comparison() -> None:
    p = pd.Series({"a": 0.01, "b": None, "c": 0.04})
    assert holm(p).to_dict() == pytest.approx({"a": 0.02, "b": float("nan"), "c": 0.04}, nan_ok=True)
    assert bonferroni(p).to_dict() == pytest.approx({"a": 0.02, "b": float("nan"), "c": 0.08}, nan_ok=True)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_lies_between_the_raw_p_and_bonferroni_and_keeps_their_order(values: list[float]) -> None:
    p = pd.Series(values)
    adjusted = holm(p)
    assert (adjusted >= p).all() and (adjusted <= bonferroni(p) + 1e-12).all()
    assert adjusted[p.sort_values(kind="stable").index].is_monotonic_increasing
