"""Joules shared by time: the balance closes, and what each thing took lies within what it can have taken."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as some

from harness.attribution.by_time import share_by_time
from harness.attribution.powers import Intervals

MS = 1_000_000
READINGS = some.lists(some.tuples(some.integers(1, 50), some.floats(0, 100)), min_size=1, max_size=30)
SECONDS = some.lists(some.floats(0, 3), max_size=6).map(np.array)


def read(pairs):
    """Of lengths in ms, and powers."""
    borders = np.cumsum([0, *(length * MS for length, _ in pairs)])
    return Intervals(borders, np.array([length / 1000 * watts for length, watts in pairs]))


@given(READINGS, SECONDS, some.floats(0, 2), some.floats(0, 120))
def test_the_balance_closes_and_no_part_is_less_than_nothing(pairs, seconds, covered_s, idle_w):
    whole = read(pairs)
    found = share_by_time(whole, seconds, covered_s, idle_w=idle_w)
    assert found.total_j == pytest.approx(whole.joules.sum(), abs=1e-9)
    assert min([0, *found.joules, found.idle_j, found.nothing_j]) >= -1e-9


@example([(1, 0.0)], np.array([5e-324]), 1.0, 0.0, 0.0)
@given(READINGS, SECONDS, some.floats(0, 2), some.floats(0, 50), some.floats(0, 1))
def test_what_each_took_lies_between_the_least_and_the_most(pairs, seconds, covered_s, idle_w, unsure):
    found = share_by_time(read(pairs), seconds, covered_s, idle_w=idle_w, meter_share=unsure)
    assert (found.least_j <= found.joules + 1e-9).all() and (found.joules <= found.most_j + 1e-9).all()
    assert (found.least_j >= 0).all()


def test_each_has_the_share_of_its_time_also_on_several_threads():
    """80 J above rest in 2 s, of which 1.5 s have operators: 6 s of four threads."""
    found = share_by_time(read([(2000, 50.0)]), np.array([4.0, 2.0]), 1.5, idle_w=10.0)
    assert found.joules == pytest.approx([40.0, 20.0])
    assert (found.idle_j, found.nothing_j) == pytest.approx((20.0, 20.0))


def test_the_truth_of_things_that_need_more_or_less_lies_within():
    """One at 90 W and one at 10 W by turns, which time alone holds to be alike."""
    found = share_by_time(read([(100, 90.0), (100, 10.0)] * 5), np.array([0.5, 0.5]), 1.0)
    assert found.joules == pytest.approx([25.0, 25.0])
    for truth_j in (45.0, 5.0):
        assert found.least_j[0] == pytest.approx(5.0) and found.most_j[0] == pytest.approx(45.0)
        assert found.least_j[0] <= truth_j <= found.most_j[0]


def test_what_was_not_under_way_took_nothing():
    found = share_by_time(read([(1000, 50.0)]), np.zeros(2), 0.0)
    assert found.joules.tolist() == [0.0, 0.0] and found.nothing_j == pytest.approx(50.0)
