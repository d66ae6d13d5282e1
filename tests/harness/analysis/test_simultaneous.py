"""Critical values for many treatments against one, against simulated campaigns in which nothing differs."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from harness.analysis.simultaneous import ErrorLevel, critical_t, simultaneous_p
from tests.harness.analysis.null_campaigns import largest_t

CAMPAIGNS = 20_000


@cache
def nothing_differs(treatments: int, blocks: int) -> tuple[np.ndarray, np.ndarray]:
    """The largest t, and the largest |t|, of each campaign."""
    return largest_t(treatments, blocks, CAMPAIGNS)


@pytest.mark.parametrize("blocks", [2, 3, 5, 10, 30])
@pytest.mark.parametrize("treatments", [2, 3, 6, 10, 20])
def test_5_percent_of_null_campaigns_show_any_difference(treatments: int, blocks: int) -> None:
    signed, absolute = nothing_differs(treatments, blocks)
    assert (absolute > critical_t(blocks, treatments - 1)).mean() == pytest.approx(0.05, abs=0.01)
    assert (signed > critical_t(blocks, treatments - 1, sides=1)).mean() == pytest.approx(0.05, abs=0.01)


@pytest.mark.parametrize("blocks", [2, 5, 30])
@pytest.mark.parametrize("sides", [1, 2])
def test_a_single_comparison_has_students_value(blocks: int, sides: int) -> None:
    assert critical_t(blocks, 1, sides=sides) == pytest.approx(stats.t.isf(0.05 / sides, blocks - 1))
    assert critical_t(blocks, 2, 0.05, sides) < critical_t(blocks, 2, 0.01, sides)


@settings(deadline=None, max_examples=25)
@given(st.integers(2, 40), st.integers(2, 30))
def test_it_costs_less_than_bonferroni_and_more_than_one_comparison_less(
    blocks: int, comparisons: int
) -> None:
    found = critical_t(blocks, comparisons)
    assert critical_t(blocks, comparisons - 1) < found < stats.t.isf(0.025 / comparisons, blocks - 1)
    assert simultaneous_p(found, blocks, comparisons) == pytest.approx(0.05, abs=1e-4)


def test_many_blocks_come_to_dunnetts_own_value() -> None:
    """A common standard deviation, which his table takes, is known exactly then: 9 against one, 1955, table 2b."""
    assert critical_t(2000, 9) == pytest.approx(2.69, abs=0.02)


def test_one_block_has_no_critical_value() -> None:
    assert np.isnan(critical_t(1, 3)) and np.isnan(ErrorLevel(3).critical(1))
