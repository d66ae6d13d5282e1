"""What a budget promises, on simulated machines: it is kept, it is spent, and it makes no verdict false."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from harness.analysis.simultaneous import ALPHA
from harness.planning.turns import OPENING
from harness.records import Plan
from tests.simulated_turns import blocks, carried_out, machine, planned

MINUTE_S = 60.0
BUDGETS_S = tuple(minutes * MINUTE_S for minutes in (2, 5, 8, 10, 12, 20, 30, 45, 60, 120))
EVERYTHING = [f"w{number:02d}" for number in range(16)]
FRAMEWORKS = ["jax", "keras", "tensorflow", "torch"]
UNLIKELY = 1e-3  # of a simulation that tells an error of 5 % for another: its seeds are fixed
LONGEST_S = 1e6


def guessed(made: Plan, takes_s: dict[str, float], random: np.random.Generator) -> dict[str, float]:
    """On a machine that is twice as fast, and a fifth off."""
    return {
        one.model_dump_json(): takes_s[one.label] / 2 * float(np.exp(random.normal(0, 0.2)))
        for one in made.treatments
    }


def unequal(made: Plan, seed: int) -> dict[str, float]:
    """From 2 to 20 s, as runs of profile quick take."""
    random = np.random.default_rng(seed)
    return {one.label: float(np.exp(random.uniform(np.log(2), np.log(20)))) for one in made.treatments}


@pytest.mark.parametrize("budget_s", BUDGETS_S)
def test_ten_budgets_are_kept_and_spent_within_a_tenth(budget_s: float) -> None:
    made = planned(EVERYTHING, FRAMEWORKS, 6)
    takes_s = unequal(made, int(budget_s))
    one = machine(made, takes_s, 0.1, int(budget_s))
    carried = carried_out(one, budget_s, guessed_s=guessed(made, takes_s, one.random))
    assert one.now_s <= 1.1 * budget_s
    assert carried.stop() is not None or one.now_s >= 0.9 * budget_s


def test_once_time_is_enough_for_a_turn_of_each_all_are_seen() -> None:
    made = planned(EVERYTHING, FRAMEWORKS, 6)
    one = machine(made, 4.0, 0.1, 1)
    found = blocks(carried_out(one, (len(made.treatments) + 20) * 4.0))
    assert {work[0] for work in found} == set(EVERYTHING)


def told_by_the_opening(slower: float, noise: float) -> int:
    """How many of the three ratios in seconds of what opens have a verdict once its blocks are made, of 16 works."""
    made = planned(EVERYTHING, FRAMEWORKS, 10)
    takes_s = {
        one.label: 4.0 * (1.0 if one.framework == FRAMEWORKS[0] else slower) for one in made.treatments
    }
    one = machine(made, takes_s, noise, 1)
    carried_out(one, sum(takes_s[label] for label in list(takes_s)[:4]) * OPENING * 1.2)
    found = [ratio for ratio in one.ratios(made.treatments[0].work) if ratio.quantity == "duration_s"]
    assert {ratio.blocks for ratio in found} <= {OPENING - 1, OPENING}
    return sum(ratio.verdict == "worse" for ratio in found)


def test_what_opens_tells_a_factor_of_two_and_no_factor_of_one() -> None:
    assert told_by_the_opening(2.0, 0.03) == 3
    assert told_by_the_opening(1.0, 0.03) == 0


def false_verdicts(count: int, budget_s: tuple[float, float]) -> int:
    """Of so many campaigns without a true difference, each with a budget of its own, how many say that there is one.

    Three workloads, energy and time: six ratios, of which the first two share half of the error. What a run takes is
    what is measured, and what spends the budget.
    """
    made, found = planned(["a", "b", "c"], ["x", "y"], 8), 0
    for seed in range(count):
        one = machine(made, 5.0, 0.1, seed)
        carried_out(one, float(one.random.uniform(*budget_s)))
        found += any(ratio.verdict in ("better", "worse") for ratio in one.ratios())
    return found


def test_verdicts_are_as_often_false_as_was_declared_where_all_looks_are_taken() -> None:
    count, seen = 120, false_verdicts(120, (LONGEST_S, LONGEST_S))
    assert scipy.stats.binomtest(seen, count, ALPHA).pvalue > UNLIKELY


def test_they_are_no_more_often_false_where_time_ends_it_anywhere() -> None:
    count, seen = 150, false_verdicts(150, (20.0, 180.0))
    assert scipy.stats.binomtest(seen, count, ALPHA, alternative="greater").pvalue > UNLIKELY


@pytest.mark.slow
def test_false_verdicts_under_a_budget_are_5_percent_within_1() -> None:
    count = 8_000  # a standard error of 0.24 %
    share = false_verdicts(count, (LONGEST_S, LONGEST_S)) / count
    assert abs(share - ALPHA) <= 0.01
    assert false_verdicts(count // 4, (20.0, 180.0)) / (count // 4) <= ALPHA + 0.01
