"""What stands beside an interval that takes noise for normal."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.analysis.compare import told
from harness.analysis.pairs import Pair
from harness.analysis.robust import checks, sign_flip_interval
from harness.analysis.simultaneous import ErrorLevel
from tests.harness.analysis.null_campaigns import NOISES


def pair(values: np.ndarray) -> Pair:
    return Pair(values, tuple(range(1, len(values) + 1)))


@settings(deadline=None, max_examples=25)
@given(st.lists(st.floats(-1, 1), min_size=6, max_size=9, unique=True), st.floats(-1, 1))
def test_the_interval_holds_what_all_changes_of_signs_do_not_refute(
    values: list[float], truth: float
) -> None:
    low, high = sign_flip_interval(np.array(values))
    assert low is not None and high is not None
    around = np.array(values) - truth
    sums = np.array([np.dot(signs, around) for signs in product((-1, 1), repeat=len(values))])
    own = around.sum()
    p = 2 * min((sums >= own - 1e-12).mean(), (sums <= own + 1e-12).mean())
    inside = np.log(low) < truth < np.log(high)
    if min(abs(np.log(low) - truth), abs(np.log(high) - truth)) > 1e-9:
        assert inside == (p > 0.05)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("blocks", [8, 12, 25])
def test_it_covers_95_percent_of_symmetric_noise_of_any_shape(noise: str, blocks: int) -> None:
    draw, campaigns = np.random.default_rng(blocks), 1500 if blocks <= 12 else 150
    both = NOISES[noise](draw, (2, campaigns, blocks))
    found = [sign_flip_interval(one) for one in both[0] - both[1]]
    covered = np.mean([low <= 1 <= high for low, high in found if low is not None and high is not None])
    assert covered == pytest.approx(0.953, abs=0.02 if blocks <= 12 else 0.05)


def test_fewer_than_six_blocks_allow_no_change_of_signs_at_5_percent() -> None:
    assert sign_flip_interval(np.linspace(0.1, 0.2, 5)) == (None, None)
    assert sign_flip_interval(np.linspace(0.1, 0.2, 6))[0] == pytest.approx(np.exp(0.1))


def test_a_verdict_that_rests_on_one_block_names_it() -> None:
    found = pair(np.array([0.017, -0.014, 0.054, 0.039, 0.014, 0.056, 0.004, 0.049]))
    ratio = told(found)
    beside = checks(found, ratio)
    assert (ratio.verdict, beside.rests_on) == ("worse", (8,))
    assert (beside.without_low, beside.without_high) == (
        pytest.approx(np.exp(np.delete(found.differences, 5).mean())),
        pytest.approx(np.exp(np.delete(found.differences, 1).mean())),
    )


def test_a_plain_verdict_rests_on_no_block_and_none_rests_on_nothing() -> None:
    plain = pair(np.array([0.5, 0.51, 0.49, 0.52, 0.5, 0.48]))
    open_ = pair(np.array([0.02, 0.03, 0.01, 0.025, 0.015, 0.02, 0.01, -0.09]))
    assert checks(plain, told(plain)).rests_on == () == checks(open_, told(open_)).rests_on


@settings(deadline=None, max_examples=60)
@given(st.lists(st.floats(-0.05, 0.08), min_size=2, max_size=12), st.booleans(), st.integers(1, 5))
def test_leaving_out_each_block_is_telling_the_others_alone(
    values: list[float], measured: bool, comparisons: int
) -> None:
    found, level = pair(np.array(values)), ErrorLevel(comparisons)
    if measured:
        found = Pair(found.differences, found.blocks, np.linspace(0.001, 0.02, len(values)))
    ratio = told(found, level)
    left = [told(found.without(place), level) for place in range(len(values))]
    if any(np.ptp(np.delete(values, place)) < 1e-9 for place in range(len(values))) or ratio.low is None:
        return
    beside = checks(found, ratio, level)
    assert beside.without_low == pytest.approx(min(one.ratio for one in left))
    assert beside.without_high == pytest.approx(max(one.ratio for one in left))
    rests = tuple(n + 1 for n, one in enumerate(left) if one.verdict != ratio.verdict)
    assert beside.rests_on == (rests if ratio.verdict != "inconclusive" else ())


def test_nothing_stands_beside_a_ratio_without_an_interval() -> None:
    alike = pair(np.full(8, 0.1))
    assert checks(alike, told(alike)).flip_low is None
