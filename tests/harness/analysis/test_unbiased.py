"""The ratio of campaigns that stopped early, against the truth of simulated ones."""

from __future__ import annotations

import numpy as np
import pytest

from harness.analysis.sequential import Schedule, every_block, walk
from harness.analysis.unbiased import _means_at_stop, median_unbiased
from harness.analysis.verdict import Floats

SCHEDULE = every_block(20)
CAMPAIGNS, NOISE = 600, 0.03 * np.sqrt(2)


def stopped(truth: float) -> tuple[Floats, Floats]:
    """log ratios as plain means at the stop, and as told."""
    noise = np.random.default_rng(7).normal(0, NOISE, (CAMPAIGNS, 20))
    differences = noise + np.log(truth)
    path = walk(differences, SCHEDULE)
    blocks = np.array(SCHEDULE.looks)[path.first]
    plain = np.take_along_axis(path.mean, path.first[:, None], 1)[:, 0]
    told = [
        median_unbiased(float(mean), float(one[:n].std(ddof=1)), int(n), SCHEDULE)
        for mean, one, n in zip(plain, differences, blocks, strict=True)
    ]
    return plain, np.array(told)


@pytest.mark.unhurried
@pytest.mark.parametrize("truth", [1.0, 0.98, 0.95, 0.9])
def test_half_of_the_campaigns_are_told_too_low(truth: float) -> None:
    plain, told = stopped(truth)
    assert (told < np.log(truth)).mean() == pytest.approx(0.5, abs=0.05)
    assert np.exp(np.median(told)) == pytest.approx(truth, abs=0.002)
    if truth == 0.95:  # a plain mean lies too far from 1 where the campaign stops early
        assert abs(np.median(plain) - np.log(truth)) > abs(np.median(told) - np.log(truth))


def test_without_spread_the_mean_stays() -> None:
    assert median_unbiased(0.1, 0.0, 3, SCHEDULE) == 0.1
    assert median_unbiased(0.1, float("nan"), 3, SCHEDULE) == 0.1


def test_the_same_campaign_is_told_the_same_twice_and_mirrored() -> None:
    one, other = (median_unbiased(sign * 0.08, 0.02, 3, SCHEDULE) for sign in (1, -1))
    assert one == median_unbiased(0.08, 0.02, 3, SCHEDULE)
    assert one == pytest.approx(-other, abs=0.002)
    assert 0 < one < 0.08


def test_a_campaign_that_never_stops_early_is_told_by_all_of_its_blocks() -> None:
    means = _means_at_stop(0.0, 1.0, Schedule((3, 40)), 0.02)
    assert means.std() == pytest.approx(1 / np.sqrt(40), rel=0.3)  # 1 / sqrt(3) at the first look
