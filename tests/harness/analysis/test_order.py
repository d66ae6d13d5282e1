"""Autocorrelation against statsmodels; drift against what was put in."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from harness.analysis.order import drift, lag1, within_sessions
from tests.harness.analysis.examples import SERIES, SERIES_LAG1


def test_lag_1_is_that_of_statsmodels() -> None:
    assert lag1(SERIES) == pytest.approx(SERIES_LAG1, abs=1e-7)


def test_lag_1_finds_the_dependence_that_was_put_in() -> None:
    noise = np.random.default_rng(4).normal(size=5000)
    values = np.empty(5000)
    values[0] = noise[0]
    for place in range(1, 5000):
        values[place] = 0.6 * values[place - 1] + noise[place]
    assert lag1(values) == pytest.approx(0.6, abs=0.03) and lag1(noise) == pytest.approx(0, abs=0.03)


def test_values_that_rise_with_the_order_drift() -> None:
    assert drift(np.array([1.0, 2, 4, 8, 16, 32])).rho == pytest.approx(1)
    falling = drift(np.array([336.0, 216, 217, 205, 66, 20, 19, 19, 19, 19]))  # ICSE'22, NCF on TensorFlow, s
    assert falling.rho is not None and falling.p is not None and falling.rho < -0.9 and falling.p < 0.001


def test_what_cannot_be_known_is_none() -> None:
    for values in ([], [1.0, 2.0], [3.0, 3.0, 3.0]):
        assert lag1(np.array(values)) is None and drift(np.array(values)) == (None, None)


def test_what_rises_within_every_session_is_seen_whatever_sessions_differ_by() -> None:
    rising = np.array([1.00, 1.01, 1.02, 1.03])
    runs = pd.DataFrame(
        {"x": np.concatenate([100 * rising, rising, 10 * rising]), "session": np.repeat([1, 2, 3], 4)}
    )
    together = within_sessions(runs, "x")
    assert drift(together).rho == pytest.approx(1.0, abs=0.05)
    falling_levels = pd.DataFrame({"x": np.repeat([3.0, 2.0, 1.0], 4) * np.tile([1.0, 1.01, 1.01, 1.0], 3)})
    assert abs(drift(within_sessions(falling_levels.assign(session=runs["session"]), "x")).rho or 0) < 0.3
    assert list(within_sessions(falling_levels, "x")) == list(falling_levels["x"])
