"""Tests of a difference against R's documented examples, statsmodels, pingouin and enumeration by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.analysis import significance
from harness.analysis.significance import INDEPENDENT, PAIRED
from tests.harness.analysis.examples import (
    DEPRESSION,
    DEPRESSION_P,
    DEPRESSION_V,
    DIFFERENCES,
    PAIRED_P,
    PAIRED_T,
    PERMEABILITY,
    PERMEABILITY_P,
    PERMEABILITY_W,
    REFERENCE,
    TREATMENT,
    WELCH_P,
    WELCH_T,
)  # fmt: skip


def test_the_paired_log_t_is_that_of_pingouin() -> None:
    found = significance.paired_log_t(DIFFERENCES)
    assert (found.statistic, found.p) == (pytest.approx(PAIRED_T), pytest.approx(PAIRED_P))
    assert (found.n, found.smallest_p) == (8, 0.0)


def test_the_signed_rank_is_that_of_r() -> None:
    found = significance.signed_rank(np.subtract(*DEPRESSION))
    ranks = 9 * 10 / 2
    assert found.statistic == min(DEPRESSION_V, ranks - DEPRESSION_V)  # SciPy names the smaller sum
    assert found.p == pytest.approx(DEPRESSION_P, abs=1e-5)


def test_the_rank_sum_is_that_of_r() -> None:
    found = significance.mann_whitney(*PERMEABILITY)
    assert (found.statistic, found.n) == (PERMEABILITY_W, 15)
    assert found.p == pytest.approx(PERMEABILITY_P, abs=1e-4)


def test_welch_on_logarithms_is_that_of_statsmodels() -> None:
    found = significance.welch_log(TREATMENT, REFERENCE)
    assert (found.statistic, found.p) == (pytest.approx(WELCH_T), pytest.approx(WELCH_P))


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(-50, 50), min_size=2, max_size=7).filter(any))
def test_the_sign_flip_counts_all_changes_of_signs(values: list[int]) -> None:
    differences = np.array(values) / 64  # exact sums, so that ties are ties
    sums = [abs(np.dot(signs, differences)) for signs in product((-1, 1), repeat=len(values))]
    expected = np.mean(np.array(sums) >= abs(differences.sum()))
    assert significance.sign_flip(differences).p == pytest.approx(expected)


def test_a_sign_flip_of_many_blocks_draws_signs_and_gives_the_same_twice() -> None:
    differences = np.random.default_rng(5).normal(0.01, 0.03, 30)
    found = significance.sign_flip(differences)
    assert found.p == significance.sign_flip(differences).p
    assert found.p == pytest.approx(significance.paired_log_t(differences).p, abs=0.02)
    assert found.smallest_p == pytest.approx(2 / 65537)


@pytest.mark.parametrize("name", ["sign-flip", "signed-rank"])
@pytest.mark.parametrize("n", [3, 5, 6, 9])
def test_the_smallest_p_is_reached_by_the_most_extreme_data_and_never_passed(name: str, n: int) -> None:
    extreme = PAIRED[name](np.linspace(1.0, 2.0, n))
    assert extreme.p == pytest.approx(extreme.smallest_p)
    assert bool(extreme.impossible()) == (n < 6)


def test_rank_sums_of_three_and_three_can_never_be_significant() -> None:
    found = significance.mann_whitney(np.array([1.0, 2, 3]), np.array([4.0, 5, 6]))
    assert found.p == pytest.approx(found.smallest_p) == 0.1
    assert found.impossible() == "mann-whitney with n = 6 cannot go below p = 0.1: never significant"


def test_a_signed_rank_test_needs_six_pairs_and_eleven_among_48_comparisons() -> None:
    for pairs, comparisons in ((6, 1), (11, 48)):
        enough, few = (significance.signed_rank(np.arange(1.0, n + 1)) for n in (pairs, pairs - 1))
        assert not enough.impossible(comparisons=comparisons) and few.impossible(comparisons=comparisons)


def test_the_published_rule_takes_the_t_test_for_normal_and_ranks_for_skewed_values() -> None:
    draw = np.random.default_rng(2)
    normal = draw.normal(10, 1, 20), draw.normal(11, 1, 20)
    skewed = draw.lognormal(0, 1.5, 20), draw.lognormal(0.5, 1.5, 20)
    assert significance.normal_then_t(*normal).name == "normal-then-t (welch)"
    found = significance.normal_then_t(*skewed)
    assert found.name == "normal-then-t (mann-whitney)"
    assert found.p == significance.mann_whitney(*skewed).p


@pytest.mark.parametrize("name", PAIRED)
@pytest.mark.parametrize("values", [[], [0.1], [0.0, 0.0, 0.0]])
def test_what_cannot_be_tested_has_no_p_and_a_reason(name: str, values: list[float]) -> None:
    found = PAIRED[name](np.array(values))
    assert (found.p, found.statistic, found.n) == (None, None, len(values)) and found.reason


@pytest.mark.parametrize("name", INDEPENDENT)
@pytest.mark.parametrize("values", [([], [1.0]), ([2.0, 2.0], [2.0, 2.0])])
def test_two_groups_that_cannot_be_tested_have_no_p(
    name: str, values: tuple[list[float], list[float]]
) -> None:
    found = INDEPENDENT[name](*map(np.array, values))
    assert found.p is None and found.reason
