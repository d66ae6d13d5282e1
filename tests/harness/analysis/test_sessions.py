"""Verdicts between campaigns are false in 5 %, whatever a session does to all that it measured."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness import paths
from harness.analysis import sessions
from tests.harness.analysis import sessions_simulation as simulation
from tests.harness.analysis.sessions_simulation import BLOCKS, COLUMNS, EDGE, SIDES, estimates, rows

FIVE = pytest.approx(0.05, abs=0.01)


def test_runs_of_two_sessions_are_no_independent_samples() -> None:
    """Why a verdict of theirs is withheld."""
    assert simulation.of_runs(10) > 0.4


@pytest.mark.parametrize("blocks", BLOCKS)
def test_what_is_relative_to_something_unchanged_is_false_in_5_percent(blocks: int) -> None:
    assert simulation.of_relative(blocks) == FIVE


@pytest.mark.parametrize("blocks", BLOCKS)
@pytest.mark.parametrize("sides", SIDES)
def test_sessions_as_replicates_are_false_in_5_percent(blocks: int, sides: tuple[int, int]) -> None:
    assert simulation.of_sessions(blocks, sides) == FIVE
    assert (
        simulation.of_sessions(blocks, sides, own=0.01) == FIVE
    )  # whatever a session does to one treatment alone


@pytest.mark.parametrize("blocks", BLOCKS)
def test_the_interval_that_is_told_is_the_one_that_is_simulated(blocks: int) -> None:
    found = estimates(3000, blocks)
    assert 0.03 < np.mean([one.verdict in ("better", "worse") for one in found]) < 0.06


def test_equivalence_is_shown_at_the_edge_of_the_margin_in_at_most_5_of_100() -> None:
    assert np.mean([one.equivalent for one in estimates(3000, 10, edge=EDGE, noise=0.3)]) == FIVE


def test_four_intervals_of_a_family_all_hold_in_95_of_100() -> None:
    shares = [one.verdict in ("better", "worse") for one in estimates(4000, 10, family=4)]
    assert np.mean(np.reshape(shares, (1000, 4)).any(axis=1)) == pytest.approx(0.05, abs=0.022)


def logs(*values: float) -> pd.Series:
    return pd.Series(np.log(values), index=range(1, len(values) + 1))


def test_the_intervals_are_scipys() -> None:
    draw = np.random.default_rng(3)
    one, other = (
        [pd.Series(draw.normal(mean, 0.05, 4)) for _ in range(n)] for mean, n in ((0.1, 3), (0.0, 5))
    )
    found = sessions.over_sessions(one, other)
    means = ([each.mean() for each in side] for side in (one, other))
    interval = stats.ttest_ind(*means).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((np.exp(interval.low), np.exp(interval.high)))
    nothing = pd.Series(0.0, index=range(4))
    found = sessions.relative([(one[0], nothing)], [(other[0], nothing)], "it")
    interval = stats.ttest_ind(one[0], other[0], equal_var=False).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((np.exp(interval.low), np.exp(interval.high)))


@given(st.floats(-3, 3), st.floats(-3, 3))
def test_what_a_session_does_to_all_is_removed(ours: float, theirs: float) -> None:
    new, old, unchanged = logs(1.2, 1.21, 1.19), logs(1.0, 1.01, 0.98), logs(3.0, 3.1, 3.2)
    plain = sessions.relative([(new, unchanged)], [(old, unchanged)], "it")
    moved = sessions.relative([(new + ours, unchanged + ours)], [(old + theirs, unchanged + theirs)], "it")
    assert (moved.ratio, moved.low, moved.high) == pytest.approx((plain.ratio, plain.low, plain.high))


def test_only_blocks_that_have_both_count() -> None:
    new, unchanged = logs(1.2, 1.21, 9.0), logs(3.0, 3.1)
    assert sessions.relative([(new, unchanged)], [(new[:2], unchanged)], "it").ratio == pytest.approx(1.0)


def test_a_single_value_has_a_ratio_and_no_interval() -> None:
    one = sessions.relative([(logs(2.0), logs(1.0))], [(logs(1.0, 1.0), logs(1.0, 1.0))], "it")
    assert (one.ratio, one.low, one.verdict) == (pytest.approx(2.0), None, "inconclusive")


def test_the_table_in_the_documentation_is_what_was_measured() -> None:
    text = (paths.ROOT / "docs" / "statistics.md").read_text()
    assert " | ".join(COLUMNS) in text
    for row in rows():
        assert row in text, row


def test_what_measuring_leaves_unsure_widens_the_interval_between_campaigns() -> None:
    draw = np.random.default_rng(4)
    new, old = ([pd.Series(draw.normal(mean, 0.001, 6)) for _ in range(3)] for mean in (0.1, 0.0))
    sure, unsure = (sessions.over_sessions(new, old, measured=one) for one in (None, 0.2))
    assert sure.verdict == "worse" and sure.measured is None
    assert unsure.verdict == "inconclusive" and unsure.measured is not None
    assert unsure.measured == pytest.approx(1.96 * 0.2, rel=1e-3) and unsure.scatter == sure.scatter


def test_campaigns_without_any_spread_prove_nothing() -> None:
    alike = [pd.Series([0.1, 0.1]), pd.Series([0.1, 0.1])]
    other = [pd.Series([0.0, 0.0]), pd.Series([0.0, 0.0])]
    found = sessions.over_sessions(alike, other)
    assert (found.low, found.verdict) == (None, "inconclusive")


def test_a_ratio_without_a_yardstick_is_of_as_many_blocks_as_its_smaller_side_has() -> None:
    found = sessions.plain([logs(2.0, 2.0, 2.0)], [logs(1.0), logs(1.0)])
    assert (found.ratio, found.replicates, found.low) == (pytest.approx(2.0), 2, None)
