"""Rules mark and never delete, each by its name, with a description before and after."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.analysis.cleaning import EXCLUDED_BY, RULES, clean, negative, three_sigma, tukey
from harness.errors import UsageError


def test_three_sigma_marks_the_one_far_value_among_eleven() -> None:
    assert three_sigma(np.array([1.0] * 10 + [2.0])).tolist() == [False] * 10 + [True]


@given(st.lists(st.integers(-(10**6), 10**6), max_size=10))
def test_three_sigma_never_fires_for_ten_values_or_fewer(values: list[int]) -> None:
    assert not three_sigma(np.array(values, dtype=float)).any()


def test_the_farthest_of_ten_values_lies_2_85_deviations_from_the_mean() -> None:
    values = np.array([0.0] * 9 + [1.0])
    assert ((1 - values.mean()) / values.std(ddof=1)).round(2) == 2.85


def test_the_other_rules() -> None:
    assert tukey(np.array([1.0, 2, 3, 4, 100])).tolist() == [False] * 4 + [True]
    assert negative(np.array([1.0, -250_769, 0])).tolist() == [False, True, False]


@pytest.mark.parametrize("name", RULES)
def test_no_rule_minds_an_empty_group(name: str) -> None:
    assert RULES[name](np.array([])).tolist() == []


def runs() -> pd.DataFrame:
    a, b = [1.0] * 10 + [2.0, -5.0, None], [40.0] * 10 + [41.0, 42.0, 41.5]
    return pd.DataFrame({"treatment": ["a"] * 13 + ["b"] * 13, "energy_j": a + b}, index=range(100, 126))


def test_rules_apply_in_turn_within_groups_and_every_row_stays() -> None:
    cleaned = clean(runs(), "energy_j", ["negative", "three-sigma"], by=["treatment"])
    pd.testing.assert_frame_equal(cleaned.marked.drop(columns=EXCLUDED_BY), runs())
    marked = cleaned.marked[cleaned.marked[EXCLUDED_BY] != ""]
    assert marked[EXCLUDED_BY].to_dict() == {110: "three-sigma", 111: "negative"}
    counts = cleaned.change.pivot(index="treatment", columns="rule", values="n")
    assert counts.loc["a"].to_dict() == {"": 12, "negative": 11, "three-sigma": 10}
    assert counts.loc["b"].to_dict() == {"": 13, "negative": 13, "three-sigma": 13}
    means = cleaned.change.set_index(["treatment", "rule"])["mean"]
    assert (means["a", ""], means["a", "three-sigma"]) == (pytest.approx(7 / 12), 1.0)


def test_without_groups_there_is_one_description_a_rule() -> None:
    change = clean(runs(), "energy_j", ["negative"]).change
    assert change[["rule", "n"]].to_numpy().tolist() == [["", 25], ["negative", 24]]


def test_an_unknown_rule_is_a_usage_error_with_the_nearest_name() -> None:
    with pytest.raises(UsageError, match="unknown cleaning rule 'three_sigma'; did you mean 'three-sigma'"):
        clean(runs(), "energy_j", ["three_sigma"])
