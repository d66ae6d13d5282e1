"""Joules of functions against a program whose joules are known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from harness.attribution.attribute import attribute
from harness.attribution.looks import StackLooks
from harness.attribution.powers import Intervals
from tests.harness.attribution.known_program import Pair, Program, run

# Visits of 5 ms to 2 s.
PROGRAM = Program(
    powers_w=(60, 80, 25, 100, 40, 90, 50),
    pairs=(
        Pair(0, 1, 2.0, 0.2, 2.0),
        Pair(1, 2, 0.2, 0.1, 2.0),
        Pair(3, 4, 0.05, 0.02, 1.5),
        Pair(5, 6, 0.005, 0.005, 2.0),
    ),
)
UPDATE_S = 0.001
LARGE = 0.10  # of the energy


def held(runs):
    """The largest relative error of functions that hold much, and the share of their intervals that hold the truth."""
    errors, covered = [], []
    for number in range(runs):
        seen = run(PROGRAM, np.random.default_rng(number), UPDATE_S, idle_w=20.0)
        found = attribute(seen.intervals, seen.looks, idle_w=20.0)
        large = seen.truth_j >= LARGE * seen.truth_j.sum()
        assert len(set(found.group)) == len(PROGRAM.powers_w)
        assert found.total_j == pytest.approx(seen.intervals.joules.sum(), rel=1e-9)
        assert found.nobody_j + found.idle_j == pytest.approx(20.0 * 60, rel=0.005)
        apart = np.abs(found.joules - seen.truth_j)[large]
        errors.append((apart / seen.truth_j[large]).max())
        covered += (apart <= found.half_widths_j[large]).tolist()
    return max(errors), np.mean(covered)


def test_joules_are_told_within_five_percent_and_the_balance_closes():
    worst, covered = held(1)
    assert worst < 0.05
    assert covered >= 0.9


@pytest.mark.slow
def test_intervals_hold_the_truth_in_nine_of_ten_runs():
    worst, covered = held(100)
    print(f"\nworst error {worst:.3f}, truth held by {covered:.3f} of the intervals")
    assert worst < 0.05
    assert covered >= 0.9


@pytest.mark.parametrize(
    ("visit_s", "update_s", "apart"),
    [
        (2.0, 0.001, True), (2.0, 0.1, True), (2.0, 1.0, True), (0.3, 0.1, True), (0.3, 1.0, False), (0.05, 0.01, True),
        (0.05, 0.1, False), (0.02, 0.001, True), (0.02, 0.1, False), (0.005, 0.001, True), (0.005, 0.01, False),
        (0.001, 0.001, False), (0.001, 1.0, False),
    ],
)  # fmt: skip
def test_what_alternates_faster_than_the_meter_is_one_group(visit_s, update_s, apart):
    program = Program((50, 10), (Pair(0, 1, visit_s, visit_s, 10.0),))
    seen = run(program, np.random.default_rng(1), update_s)
    found = attribute(seen.intervals, seen.looks, redrawn=2)
    assert (len(set(found.group)) == 2) is apart
    assert found.groups.joules.sum() == pytest.approx(found.joules.sum(), rel=1e-9)
    assert len(found.groups.joules) == len(set(found.group))
    together = found.joules.sum() / seen.truth_j.sum()
    assert together == pytest.approx(1, abs=0.01)
    if apart:
        assert found.joules == pytest.approx(seen.truth_j, rel=0.05)


def test_a_gap_without_looks_is_nobodys():
    seen = run(Program((50, 10), (Pair(0, 1, 0.5, 0.5, 10.0),)), np.random.default_rng(1), UPDATE_S)
    kept = (seen.looks.t_ns < 20e9) | (seen.looks.t_ns > 30e9)
    looks = StackLooks(seen.looks.t_ns[kept], seen.looks.kind[kept], 2)
    found = attribute(seen.intervals, looks)
    assert found.nobody_j == pytest.approx(seen.truth_j.sum() / 6, rel=0.05)
    assert found.total_j == pytest.approx(seen.intervals.joules.sum(), rel=1e-9)


def test_a_meter_that_is_itself_unsure_widens_all_intervals():
    seen = run(Program((50, 10), (Pair(0, 1, 0.5, 0.5, 10.0),)), np.random.default_rng(1), UPDATE_S)
    sure, unsure = (attribute(seen.intervals, seen.looks, meter_share=share) for share in (0.0, 0.1))
    assert unsure.half_widths_j == pytest.approx(np.hypot(sure.half_widths_j, 0.1 * sure.joules))


@settings(max_examples=25, deadline=None)
@given(
    looks=some.lists(
        some.tuples(some.integers(0, 10**9), some.integers(0, 4)), max_size=30, unique_by=lambda one: one[0]
    ),
    joules=some.lists(some.floats(0, 100), min_size=1, max_size=20),
    idle_w=some.floats(0, 50),
)
def test_the_balance_closes_whatever_was_seen(looks, joules, idle_w):
    times, kinds = (
        (np.array(one, np.int64) for one in zip(*sorted(looks), strict=True))
        if looks
        else (np.zeros(0, np.int64),) * 2
    )
    read = Intervals(np.linspace(0, 10**9, len(joules) + 1).astype(np.int64), np.array(joules))
    found = attribute(read, StackLooks(times, kinds, 5), idle_w=idle_w, redrawn=2)
    assert found.total_j == pytest.approx(sum(joules), rel=1e-9, abs=1e-9)
    assert np.isfinite(found.joules).all()
    assert found.joules.sum() + found.nobody_j >= -1e-9 * sum(joules)  # what was at rest is no more than all
    assert not found.joules[np.setdiff1d(np.arange(5), kinds)].any()
