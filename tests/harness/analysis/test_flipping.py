"""Changes of signs of many differences: in groups, with the same promises."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from harness.analysis.effects import a12
from harness.analysis.flipping import MOST_GROUPS, chance_of_sum, in_groups
from harness.analysis.robust import _spreads_without_each, sign_flip_interval
from harness.analysis.significance import RESAMPLES, sign_flip


@pytest.mark.parametrize("n", [1, 17, MOST_GROUPS, MOST_GROUPS + 1, 1000, 100_003])
def test_groups_hold_every_difference_once_and_are_alike_in_size(n: int) -> None:
    values = np.random.default_rng(n).normal(size=n)
    sums, sizes = in_groups(values)
    assert len(sums) == len(sizes) == min(n, MOST_GROUPS)
    assert sums.sum() == pytest.approx(values.sum()) and sizes.sum() == n and np.ptp(sizes) <= 1


def test_p_is_that_of_scipys_permutation_test() -> None:
    for shift in (0.0, 0.1, 0.2):
        values = np.random.default_rng(1).normal(shift, 1, 200)
        expected = scipy.stats.permutation_test(
            (values,), lambda x, axis: x.mean(axis=axis), permutation_type="samples", n_resamples=RESAMPLES,
            vectorized=True, rng=2,
        )  # fmt: skip
        assert chance_of_sum(values, RESAMPLES) == pytest.approx(expected.pvalue, rel=0.1, abs=5e-5)


def test_many_differences_without_effect_seem_to_have_one_in_five_of_a_hundred() -> None:
    draw = np.random.default_rng(3)
    p = [chance_of_sum(in_groups(draw.standard_t(3, 2000))[0], 999) for _ in range(1000)]
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=0.02)


def test_many_differences_have_an_interval_as_students() -> None:
    values = np.random.default_rng(4).normal(0.01, 0.05, 20_000)
    low, high = sign_flip_interval(values)
    student = scipy.stats.ttest_1samp(values, 0).confidence_interval(0.95)
    half = (student.high - student.low) / 2
    assert low == pytest.approx(np.exp(student.low), abs=half / 4)
    assert high == pytest.approx(np.exp(student.high), abs=half / 4)


def test_thousands_of_differences_have_a_smallest_p() -> None:
    found = sign_flip(np.random.default_rng(5).normal(1, 1, 3000))
    assert found.p == found.smallest_p and found.statistic == pytest.approx(1, abs=0.1)


def test_a12_is_that_of_all_pairs() -> None:
    draw = np.random.default_rng(6)
    for one, other in (
        (draw.normal(size=30), draw.normal(size=17)),
        (draw.integers(0, 5, 40), draw.integers(0, 5, 9)),
    ):
        signs = np.sign(np.subtract.outer(one, other))
        assert a12(one.astype(float), other.astype(float)) == float((1 + signs.mean()) / 2)


@pytest.mark.parametrize("values", [[1, 2, 3], [1, 1, 3], [1, 3, 3], [1, 1, 1, 2], [2, 2, 2], [5, 1, 4, 2]])
def test_the_range_without_each_is_that_of_the_others(values: list[float]) -> None:
    numbers = np.array(values, dtype=float)
    expected = [np.ptp(np.delete(numbers, place)) for place in range(len(numbers))]
    assert list(_spreads_without_each(numbers)) == expected
