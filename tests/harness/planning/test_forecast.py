"""What the runs to come will take is between the bounds that are told, as often as is promised."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.planning.forecast import COVERAGE, Eta, forecast

DURATION_S = st.floats(0, 1e5)
TOOK_S = st.dictionaries(st.sampled_from("abc"), st.lists(DURATION_S, min_size=1, max_size=5))
TO_COME = st.dictionaries(st.sampled_from("abc"), st.integers(1, 50))


@given(TO_COME, TOOK_S, DURATION_S, DURATION_S)
def test_the_expectation_lies_in_the_interval_and_never_below_zero(
    to_come: dict[str, int], took_s: dict[str, list[float]], otherwise_s: float, spent_s: float
) -> None:
    now = forecast(to_come, took_s, otherwise_s)
    for eta in (now, now.after(spent_s)):
        if eta.low_s is not None and eta.high_s is not None:
            assert 0 <= eta.low_s <= eta.seconds <= eta.high_s
        assert eta.seconds >= 0
        assert (eta.low_s is None) == (eta.high_s is None)


@given(TOOK_S, DURATION_S)
def test_where_no_run_is_left_nothing_remains(took_s: dict[str, list[float]], otherwise_s: float) -> None:
    assert forecast({}, took_s, otherwise_s) == Eta(0.0, 0.0, 0.0)


@given(st.integers(1, 50), st.floats(1, 1e4), st.integers(2, 5))
def test_runs_that_all_took_the_same_leave_no_doubt(left: int, took_s: float, done: int) -> None:
    eta = forecast({"a": left}, {"a": [took_s] * done}, 1.0)
    assert (eta.seconds, eta.low_s, eta.high_s) == pytest.approx((left * took_s,) * 3)


@pytest.mark.parametrize(
    ("took_s", "seconds"),
    [
        ({}, 3 * 7.0),  # the plan's word
        ({"a": [5.0], "b": [6.0]}, 2 * 5.0 + 6.0),  # nothing ran twice
        ({"a": [4.0, 6.0]}, 2 * 5.0 + 7.0),  # b has never run
    ],
)
def test_without_a_second_run_or_with_an_unknown_treatment_there_is_no_interval(
    took_s: dict[str, list[float]], seconds: float
) -> None:
    assert forecast({"a": 2, "b": 1}, took_s, 7.0) == Eta(seconds)


def test_the_interval_holds_the_truth_as_often_as_promised() -> None:
    """5 % noise, treatments from 2 to 600 s, after two blocks of ten."""
    random, means = np.random.default_rng(1), {"a": 2.0, "b": 40.0, "c": 600.0}
    held = 0
    for _ in range(2000):
        runs = {name: mean * (1 + 0.05 * random.standard_normal(10)) for name, mean in means.items()}
        eta = forecast(dict.fromkeys(means, 8), {name: times[:2] for name, times in runs.items()}, 1.0)
        truth = sum(times[2:].sum() for times in runs.values())
        assert eta.low_s is not None and eta.high_s is not None
        held += eta.low_s <= truth <= eta.high_s
    assert held / 2000 == pytest.approx(COVERAGE, abs=0.02)
