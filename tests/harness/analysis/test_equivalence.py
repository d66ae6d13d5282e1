"""TOST against statsmodels and pingouin, and against the interval that defines it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.analysis.equivalence import equivalent, tost
from harness.analysis.intervals import log_t
from tests.harness.analysis.examples import DIFFERENCES, INTERVAL, TOST_P


@pytest.mark.parametrize("margin", [0.02, 0.05])
def test_p_is_that_of_two_other_implementations(margin: float) -> None:
    assert tost(DIFFERENCES, margin) == pytest.approx(TOST_P[margin], rel=1e-9)


def test_the_interval_is_that_of_statsmodels() -> None:
    assert np.exp(log_t(DIFFERENCES)[1:]) == pytest.approx(INTERVAL, rel=1e-7)


@settings(deadline=None)
@given(st.lists(st.floats(-0.2, 0.2), min_size=2, max_size=12).filter(lambda d: np.std(d) > 1e-6))
def test_equivalent_is_the_90_percent_interval_within_the_margin(values: list[float]) -> None:
    differences, edge = np.array(values), np.log(1.05)
    _, low, high = log_t(differences, 0.90)
    assert bool(equivalent(differences, 0.05)) == (-edge <= low and high <= edge)


def test_many_campaigns_at_once_are_each_one_alone() -> None:
    many = np.random.default_rng(3).normal(0.01, 0.02, size=(5, 7))
    assert tost(many) == pytest.approx([tost(one).item() for one in many])
