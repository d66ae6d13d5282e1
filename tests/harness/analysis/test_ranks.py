"""Friedman and Nemenyi against R, scikit-posthocs and the tables of Demsar 2006."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from harness.analysis.ranks import critical_difference, friedman, mean_ranks, nemenyi
from tests.harness.analysis.examples import NEMENYI_P, ROUNDING, ROUNDING_CHI2, ROUNDING_P


def test_friedman_is_that_of_r() -> None:
    found = friedman(pd.DataFrame(ROUNDING))
    assert (found.statistic, found.p, found.n) == (
        pytest.approx(ROUNDING_CHI2),
        pytest.approx(ROUNDING_P),
        22,
    )


def test_nemenyi_is_that_of_scikit_posthocs() -> None:
    found = nemenyi(pd.DataFrame(ROUNDING)).set_index(["one", "other"])["p"].to_dict()
    assert found == pytest.approx(NEMENYI_P, abs=1e-6)


@pytest.mark.parametrize(("k", "q"), [(3, 2.343), (4, 2.569), (5, 2.728), (10, 3.164)])
def test_the_critical_difference_has_the_published_quantiles(k: int, q: float) -> None:
    table = pd.DataFrame(np.random.default_rng(k).random((14, k)))
    expected = q * np.sqrt(k * (k + 1) / (6 * 14))  # Demsar 2006, table 5, alpha = 0.05
    assert critical_difference(table).difference == pytest.approx(expected, rel=5e-4)


def test_treatments_closer_than_the_difference_are_joined() -> None:
    rows = np.tile([1.0, 2.0, 3.0, 4.0], (12, 1))
    rows[:6, [0, 1]] = rows[:6, [1, 0]]  # the first two take turns
    found = critical_difference(pd.DataFrame(rows, columns=list("abcd")))
    assert found.ranks.to_dict() == {"a": 1.5, "b": 1.5, "c": 3.0, "d": 4.0}
    assert found.difference == pytest.approx(2.569 * np.sqrt(20 / 72), rel=1e-3)
    assert found.cliques == (("a", "b"), ("c", "d")) or found.cliques == (("a", "b", "c"), ("c", "d"))
    assert all(np.ptp(found.ranks[list(one)]) <= found.difference for one in found.cliques)


def test_a_row_with_an_unknown_value_does_not_count_and_ties_share_ranks() -> None:
    table = pd.DataFrame({"a": [1.0, 1.0, 9.0], "b": [1.0, 2.0, None], "c": [3.0, 3.0, 1.0]})
    assert mean_ranks(table).to_dict() == {"a": 1.25, "b": 1.75, "c": 3.0}
    assert friedman(table).n == 2


def test_too_few_rows_or_treatments_and_no_differences_have_no_p() -> None:
    for table in (pd.DataFrame({"a": [1.0] * 5, "b": [2.0] * 5}), pd.DataFrame(np.ones((5, 3)))):
        assert friedman(table).p is None and friedman(table).reason


def test_two_blocks_of_three_treatments_can_never_be_significant() -> None:
    found = friedman(pd.DataFrame([[1.0, 2, 3], [1.0, 2, 3]]))
    assert found.p == pytest.approx(found.smallest_p) and found.impossible()
