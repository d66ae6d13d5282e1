"""When an adaptive campaign stops, and with which verdict."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.analysis.boundaries import critical_t
from harness.analysis.sequential import Decision, Schedule, every_block, follow, walk
from harness.errors import UsageError

TEN = every_block(10)


def steady(ratio: float, noise: float, blocks: int, seed: int = 1) -> np.ndarray:
    return np.log(ratio) + np.random.default_rng(seed).normal(0, noise, blocks)


def test_a_big_effect_needs_the_first_look_only() -> None:
    look = follow(steady(1.3, 0.01, 3), TEN)
    assert (look.decision, look.ratio.verdict, look.ratio.blocks) == (Decision.VERDICT, "worse", 3)


def test_the_interval_is_that_of_a_t_test_with_the_wider_critical_value() -> None:
    differences = steady(1.01, 0.03, 6)
    look = follow(differences, TEN)
    half = critical_t(TEN.looks, 0.05, "pocock")[3] * differences.std(ddof=1) / np.sqrt(6)
    assert look.decision == Decision.GO_ON
    assert np.log([look.ratio.low, look.ratio.high]) == pytest.approx(
        differences.mean() + half * np.array([-1, 1])
    )


def test_a_verdict_stands_whatever_later_blocks_say() -> None:
    early = follow(steady(1.3, 0.01, 3), TEN)
    later = np.concatenate([steady(1.3, 0.01, 3), steady(0.5, 0.5, 7)])
    assert follow(later, TEN) == early


def test_before_the_first_look_there_is_a_ratio_without_interval() -> None:
    look = follow(steady(1.3, 0.01, 2), TEN)
    assert look.decision == Decision.GO_ON and look.ratio.verdict == "inconclusive"
    assert (look.ratio.low, look.ratio.blocks) == (None, 2) and look.ratio.ratio == pytest.approx(
        1.3, rel=0.05
    )


def test_treatments_alike_are_equivalent_as_soon_as_the_margin_shows_it() -> None:
    narrow, wide = (follow(steady(1.0, 0.015, 10, seed=4), TEN, margin) for margin in (0.02, 0.1))
    assert narrow.decision == wide.decision == Decision.VERDICT
    assert narrow.ratio.verdict == wide.ratio.verdict == "equivalent"
    assert wide.ratio.blocks == 3 < narrow.ratio.blocks


def test_noise_without_effect_goes_to_the_last_look_without_a_verdict() -> None:
    look = follow(steady(1.0, 0.2, 10, seed=2), TEN)
    assert (look.decision, look.ratio.verdict, look.ratio.blocks) == (Decision.LAST, "inconclusive", 10)


def test_an_interval_within_the_margin_of_its_ratio_stops_without_a_verdict() -> None:
    differences = np.array([-0.004, 0.029, 0.013, 0.020, 0.004, 0.016, 0.002, 0.025, 0.012, 0.014])
    look = follow(differences, TEN)
    assert (look.decision, look.ratio.verdict) == (Decision.PRECISE, "inconclusive")
    assert look.ratio.high is not None and look.ratio.high / look.ratio.ratio <= 1.02


def test_looks_are_only_where_the_schedule_has_them() -> None:
    schedule = Schedule((4, 8))
    assert [follow(steady(1.3, 0.01, n), schedule).decision == Decision.VERDICT for n in range(1, 6)] == [
        False, False, False, True, True,
    ]  # fmt: skip


@settings(deadline=None, max_examples=50)
@given(st.lists(st.floats(-0.2, 0.2), min_size=3, max_size=10))
def test_swapping_treatment_and_reference_inverts_the_interval_and_stops_at_the_same_look(
    values: list[float],
) -> None:
    forward, back = (follow(sign * np.array(values), TEN) for sign in (1, -1))
    assert (forward.decision, forward.ratio.blocks) == (back.decision, back.ratio.blocks)
    if forward.ratio.low is None or back.ratio.high is None:  # blocks that are all alike
        assert np.ptp(values) < 1e-9 and forward.ratio.verdict == "inconclusive"
        return
    assert forward.ratio.low * back.ratio.high == pytest.approx(1)


def test_blocks_that_are_all_alike_prove_nothing_at_any_look() -> None:
    look = follow(np.full(10, 0.3), TEN)
    assert (look.decision, look.ratio.verdict, look.ratio.low) == (Decision.LAST, "inconclusive", None)


def test_what_measuring_leaves_unsure_widens_every_look() -> None:
    differences = steady(1.3, 0.001, 10)
    sure = follow(differences, TEN).ratio
    unsure = follow(differences, TEN, measured=np.full(10, 0.2)).ratio
    assert sure.verdict == "worse" and sure.measured is None
    assert (
        unsure.measured is not None and unsure.scatter is not None and unsure.measured > 10 * unsure.scatter
    )
    assert (sure.blocks, unsure.blocks, unsure.verdict) == (3, 4, "worse")


def test_many_campaigns_at_once_are_each_one_alone() -> None:
    many = np.random.default_rng(8).normal(0.03, 0.03, size=(50, 10))
    path = walk(many, TEN)
    alone = [follow(one, TEN) for one in many]
    assert [TEN.looks[at] for at in path.first] == [look.ratio.blocks for look in alone]
    stopped = np.take_along_axis(path.verdicts, path.first[:, None], 1)[:, 0]
    assert stopped.tolist() == [look.ratio.verdict for look in alone]
    assert len(set(stopped)) > 1


def test_the_method_is_named_for_the_record() -> None:
    assert TEN.looks == (3, 4, 5, 6, 7, 8, 9, 10)
    assert TEN.method == (
        "group-sequential t-test on paired log differences, exact boundaries, Lan-DeMets spending (pocock)"
    )


@pytest.mark.parametrize(
    ("looks", "alpha", "spending", "message"),
    [
        ((), 0.05, "pocock", "looks are rising"),
        ((1, 2), 0.05, "pocock", "looks are rising"),
        ((3, 3), 0.05, "pocock", "looks are rising"),
        ((5, 3), 0.05, "pocock", "looks are rising"),
        ((3, 4), 0.6, "pocock", "alpha lies between 1e-07 and 0.5, not 0.6"),
        ((3, 4), 5e-324, "pocock", "alpha lies between 1e-07 and 0.5, not 4.94"),
        ((3, 4), 0.05, "pococ", "did you mean 'pocock'"),
    ],
)
def test_a_schedule_that_controls_nothing_is_refused(
    looks: tuple[int, ...], alpha: float, spending: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        Schedule(looks, alpha, spending)
