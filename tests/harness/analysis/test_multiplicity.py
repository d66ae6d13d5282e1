"""Corrections against statsmodels, and as laws."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.analysis.judging import judge
from harness.analysis.multiplicity import BONFERRONI, HOLM, PER_RATIO, SIMULTANEOUS, corrected, holm
from harness.analysis.pairs import Pair
from harness.analysis.significance import paired_log_t
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


@pytest.mark.unhurried
def test_a_table_of_ten_treatments_that_cost_the_same_shows_a_difference_in_5_percent() -> None:
    """By the judge that reports use; each ratio by itself would in a third."""
    draw, blocks = np.random.default_rng(11), tuple(range(5))
    found: dict[str, list[bool]] = {SIMULTANEOUS: [], HOLM: [], PER_RATIO: []}
    for _ in range(1000):
        logs = draw.normal(0, 0.05, (10, 5))
        pairs = [Pair(one - logs[0], blocks) for one in logs[1:]]
        for errors, wrong in found.items():
            wrong.append(any(one.ratio.verdict in ("better", "worse") for one in judge(errors)(pairs, 9)))
    rates = {errors: np.mean(wrong) for errors, wrong in found.items()}
    assert rates[SIMULTANEOUS] == pytest.approx(0.05, abs=0.02)
    assert rates[HOLM] < 0.06 and rates[PER_RATIO] > 0.2


def test_holm_differs_exactly_where_its_interval_excludes_1() -> None:
    draw = np.random.default_rng(3)
    for _ in range(200):
        pairs = [Pair(draw.normal(shift, 0.03, 6), tuple(range(6))) for shift in (0.0, 0.03, 0.05, 0.2)]
        p = pd.Series([paired_log_t(one.differences).p for one in pairs])
        apart = [not (one.ratio.low or 0) <= 1 <= (one.ratio.high or 0) for one in judge(HOLM)(pairs, 4)]
        assert apart == (holm(p) <= 0.05).tolist()


def test_holm_counts_what_was_planned_though_some_of_it_is_unknown() -> None:
    p = pd.Series([0.02, None, None])
    assert holm(p, 3).iloc[0] == pytest.approx(0.06)
    assert corrected(p, p * 0 + 5, HOLM, 3).iloc[0] == pytest.approx(0.06)
    nothing = corrected(pd.Series([None, None], dtype=object), pd.Series([5, 5]), HOLM, 2)
    assert nothing.isna().all() and nothing.dtype == "float64"
    pair = Pair(np.array([0.02, 0.03, 0.025, 0.028, 0.012]) - 0.012, tuple(range(5)))
    alone, among = (judge(HOLM)([pair], planned)[0].ratio for planned in (1, 4))
    assert (among.scatter or 0) > (alone.scatter or 0)


def test_a_p_of_0_stays_one_and_none_is_larger_than_bonferronis() -> None:
    p, blocks = pd.Series([0.0, 1e-12, 0.01]), pd.Series([10, 10, 5])
    found = corrected(p, blocks, SIMULTANEOUS, 3)
    assert (found.notna().all() and (found <= 3 * p + 1e-300).all()) or found.iloc[0] < 1e-12


@pytest.mark.parametrize(("errors", "family"), [(SIMULTANEOUS, 4), (BONFERRONI, 4), (PER_RATIO, 1)])
def test_each_judgement_says_of_how_many_intervals_its_level_is(errors: str, family: int) -> None:
    draw = np.random.default_rng(3)
    pairs = [Pair(draw.normal(0, 0.03, 6), tuple(range(6))) for _ in range(4)]
    assert {one.family for one in judge(errors)(pairs, 4)} == {family}
