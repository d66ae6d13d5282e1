"""Joules of phases, and of functions within them, against a program whose joules are known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from harness.attribution.attribute import attribute
from harness.attribution.seen_phases import MOST_NAMES, OTHER, PhaseWindow, SeenPhases
from tests.harness.attribution.known_program import Pair, Program, run

S = 1_000_000_000


def test_each_look_is_in_the_phase_that_was_on():
    phases = SeenPhases.of(
        [PhaseWindow("train", 10, 20), PhaseWindow("import", 0, 10), PhaseWindow("train", 30, 40)]
    )
    assert phases.names == ["import", "train", OTHER]
    assert phases.at(np.array([0, 9, 10, 20, 29, 30, 39, 40])).tolist() == [0, 0, 1, 2, 2, 1, 1, 2]


def test_of_a_phase_within_another_the_inner_counts():
    phases = SeenPhases.of([PhaseWindow("compile", 4, 6), PhaseWindow("train", 0, 10)])
    assert [phases.names[one] for one in phases.at(np.array([3, 5, 7]))] == ["train", "compile", "train"]
    phases = SeenPhases.of([PhaseWindow("compile", 0, 6), PhaseWindow("train", 0, 10)])
    assert [phases.names[one] for one in phases.at(np.array([3, 7]))] == ["compile", "train"]


def test_a_worker_that_tells_endless_phases_has_a_few():
    phases = SeenPhases.of(PhaseWindow(f"phase {number}", number, number + 1) for number in range(1000))
    assert len(phases.names) == MOST_NAMES + 1
    assert phases.names[phases.at(np.array([999]))[0]] == OTHER


def test_a_phase_has_the_joules_that_were_burnt_in_it_within_its_interval():
    """Two functions by turns, of which the power is known: 50 W and 10 W, half a second each."""
    covered = []
    for number in range(20):
        seen = run(Program((50, 10), (Pair(0, 1, 0.5, 0.5, 60.0),)), np.random.default_rng(number), 0.001)
        phases = SeenPhases.of([PhaseWindow("import", 0, 13 * S), PhaseWindow("train", 13 * S, 47 * S)])
        found = attribute(seen.intervals, seen.looks, phases=phases)
        until = np.concatenate([[0.0], np.cumsum(seen.intervals.joules)])
        truth = np.diff(np.interp(np.array([0, 13, 47, 60]) * S, seen.intervals.borders_ns, until))
        assert found.phases.joules == pytest.approx(truth, rel=0.02)
        covered += (np.abs(found.phases.joules - truth) <= found.phases.half_widths_j).tolist()
    assert np.mean(covered) >= 0.9


def test_a_function_is_parted_over_the_phases_that_it_was_in():
    program = Program((50, 10), (Pair(0, 1, 0.5, 0.5, 60.0),))
    seen = run(program, np.random.default_rng(1), 0.001)
    found = attribute(seen.intervals, seen.looks, phases=SeenPhases.of([PhaseWindow("train", 0, 30 * S)]))
    assert found.in_phases.joules.sum(axis=0) == pytest.approx(found.joules, rel=1e-9)
    assert found.in_phases.joules.sum(axis=1) == pytest.approx(found.phases.joules, rel=1e-9)
    assert found.in_phases.joules[0] == pytest.approx(seen.truth_j / 2, rel=0.1)
    assert (found.in_phases.half_widths_j > 0).all()


@given(
    some.lists(some.tuples(some.sampled_from("abc"), some.integers(0, 50), some.integers(0, 50)), max_size=6),
    some.lists(some.integers(-5, 60), max_size=20),
)
def test_every_look_is_in_one_phase_whatever_the_windows(windows, times):
    phases = SeenPhases.of(PhaseWindow(*one) for one in windows)
    found = phases.at(np.array(sorted(times), np.int64))
    for time, number in zip(sorted(times), found, strict=True):
        within = {name for name, begin, end in windows if begin <= time < end}
        assert phases.names[number] in (within or {OTHER})
