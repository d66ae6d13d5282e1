"""Effect sizes against counting by hand, and their thresholds by name."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.analysis.effects import ICSE22, THRESHOLDS, VARGHA_DELANEY, a12, cliffs_delta, magnitude

samples = st.lists(st.integers(0, 9), min_size=1, max_size=9)


@given(samples, samples)
def test_both_count_pairs(one: list[int], other: list[int]) -> None:
    pairs = [(x, y) for x in one for y in other]
    more, equal = sum(x > y for x, y in pairs), sum(x == y for x, y in pairs)
    values = np.array(one, float), np.array(other, float)
    assert a12(*values) == pytest.approx((more + equal / 2) / len(pairs))
    assert cliffs_delta(*values) == pytest.approx((more - sum(x < y for x, y in pairs)) / len(pairs))


def test_a12_is_the_common_language_effect_size_of_pingouin() -> None:
    values = np.array([1.0, 2, 3, 4, 4]), np.array([2.0, 3, 3, 5, 6, 7])
    assert a12(*values) == pytest.approx(0.2833333333333333)  # compute_effsize(eftype="CLES")
    assert cliffs_delta(*values) == pytest.approx(-0.43333333333333335)  # mwu's RBC


def test_without_values_there_is_no_effect_size() -> None:
    assert a12(np.array([]), np.array([1.0])) is None and cliffs_delta(np.array([1.0]), np.array([])) is None


@pytest.mark.parametrize(
    ("share", "vargha_delaney", "icse22"),
    [
        (0.5, "negligible", "negligible"),
        (0.56, "small", "negligible"),
        (0.44, "small", "negligible"),  # as far to the other side
        (0.60, "small", "small"),
        (0.64, "medium", "small"),
        (0.70, "medium", "medium"),
        (0.71, "large", "medium"),
        (0.80, "large", "large"),
        (0.0, "large", "large"),
    ],
)
def test_each_set_of_thresholds_has_its_words(share: float, vargha_delaney: str, icse22: str) -> None:
    assert (magnitude(share, VARGHA_DELANEY), magnitude(share, ICSE22)) == (vargha_delaney, icse22)
    assert THRESHOLDS == {"vargha-delaney": (0.56, 0.64, 0.71), "icse22": (0.6, 0.7, 0.8)}
