"""TOST and the interval against statsmodels and pingouin, and both against the ones that simulations use."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.analysis.compare import p_value, ratio_of
from harness.analysis.intervals import mean_and_error
from harness.analysis.verdict import Floats, log_margin
from tests.harness.analysis.examples import DIFFERENCES, INTERVAL, TOST_P
from tests.harness.analysis.vectorised import equivalent, log_t, tost


def of_one(differences: Floats, margin: float) -> float:
    mean, error = (float(one) for one in mean_and_error(differences))
    return p_value(log_margin(margin) - abs(mean), error, len(differences) - 1)


@pytest.mark.parametrize("margin", [0.02, 0.05])
def test_p_is_that_of_two_other_implementations(margin: float) -> None:
    assert of_one(DIFFERENCES, margin) == pytest.approx(TOST_P[margin], rel=1e-9)


def test_the_interval_is_that_of_statsmodels() -> None:
    found = ratio_of(DIFFERENCES)
    assert (found.low, found.high) == pytest.approx(INTERVAL, rel=1e-7)


@settings(deadline=None)
@given(st.lists(st.floats(-0.2, 0.2), min_size=2, max_size=12).filter(lambda d: np.std(d) > 1e-6))
def test_equivalent_is_the_90_percent_interval_within_the_margin(values: list[float]) -> None:
    differences, edge = np.array(values), np.log(1.05)
    _, low, high = log_t(differences, 0.90)
    assert ratio_of(differences, margin=0.05).equivalent == (-edge <= low and high <= edge)


def test_what_simulations_use_is_what_reports_tell() -> None:
    many = np.random.default_rng(3).normal(0.01, 0.02, size=(5, 7))
    told = [ratio_of(one) for one in many]
    assert tost(many) == pytest.approx([of_one(one, 0.02) for one in many])
    assert equivalent(many).tolist() == [one.equivalent for one in told]
    assert np.exp(log_t(many)[1]) == pytest.approx([one.low for one in told])
