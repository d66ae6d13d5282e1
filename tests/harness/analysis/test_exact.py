"""Exact rank tests against SciPy's where it has them, and against every permutation where there are ties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from harness.analysis import exact, significance

FEW = st.lists(st.integers(0, 5), min_size=2, max_size=6)


def rank_sums(treatment: NDArray[np.float64], reference: NDArray[np.float64], axis: int) -> object:
    pooled = np.concatenate([treatment, reference], axis)
    return stats.rankdata(pooled, axis=axis)[..., : treatment.shape[axis]].sum(axis)


@pytest.mark.parametrize("sizes", [(1, 1), (3, 9), (10, 10), (50, 50), (80, 60)])
def test_without_ties_rank_sums_are_scipys(sizes: tuple[int, int]) -> None:
    draw = np.random.default_rng(sum(sizes))
    one, other = draw.normal(0.2, 1, sizes[0]), draw.normal(0, 1, sizes[1])
    expected = stats.mannwhitneyu(one, other, method="exact").pvalue
    assert exact.rank_sum(one, other).p == pytest.approx(expected, rel=1e-9)
    assert significance.mann_whitney(one, other).p == pytest.approx(expected, rel=1e-9)


def test_ten_against_ten_is_exact_and_not_the_normal_approximation() -> None:
    one = np.array([2, 3, 5, 6, 10, 11, 13, 14, 15, 16.0])
    other = np.setdiff1d(np.arange(1, 21.0), one)
    assert stats.mannwhitneyu(one, other).pvalue == pytest.approx(0.4727, abs=5e-5)
    assert significance.mann_whitney(one, other).p == pytest.approx(0.4813, abs=5e-5)


@settings(deadline=None, max_examples=40)
@given(FEW, FEW)
def test_with_ties_rank_sums_count_every_split(first: list[int], second: list[int]) -> None:
    one, other = np.array(first, float), np.array(second, float)
    expected = stats.permutation_test(
        (one, other), rank_sums, permutation_type="independent", n_resamples=1000, vectorized=True
    )
    assert exact.rank_sum(one, other).p == pytest.approx(expected.pvalue)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(-4, 4).filter(bool), min_size=2, max_size=9))
def test_with_ties_signed_ranks_count_every_change_of_signs(values: list[int]) -> None:
    differences = np.array(values, float)
    expected = stats.permutation_test(
        (differences,),
        lambda one, axis: (stats.rankdata(np.abs(one), axis=axis) * (one > 0)).sum(axis),
        permutation_type="samples", n_resamples=1000, vectorized=True,
    )  # fmt: skip
    found = exact.signed_rank(differences)
    assert found.p == pytest.approx(expected.pvalue)
    assert exact.signed_rank(np.append(differences, 0.0)) == found  # which says nothing


@settings(deadline=None, max_examples=40)
@given(FEW, FEW)
def test_the_smallest_p_is_that_of_the_most_extreme_split_of_the_same_values(
    first: list[int], second: list[int]
) -> None:
    pooled = np.sort([*first, *second]).astype(float)
    ends = [
        exact.rank_sum(pooled[: len(first)], pooled[len(first) :]),
        exact.rank_sum(pooled[len(second) :], pooled[: len(second)]),
    ]
    smallest = exact.rank_sum(np.array(first, float), np.array(second, float)).smallest_p
    assert smallest == pytest.approx(min(one.p for one in ends))
