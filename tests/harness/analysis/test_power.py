"""Plans of rule R36 against statsmodels and simulated campaigns."""

from __future__ import annotations

import numpy as np
import pytest

from harness.analysis.power import (
    blocks_for_equivalence,
    blocks_needed,
    equivalence_power,
    noise_of_a_run,
    power,
    smallest_effect,
    spread_of_differences,
)
from harness.errors import UsageError
from tests.harness.analysis.vectorised import equivalent, log_t

CAMPAIGNS = 20_000


def costs(noise: float, blocks: int) -> np.ndarray:
    """Log-normal, of this coefficient of variation."""
    return np.random.default_rng(11).normal(0, np.sqrt(np.log1p(noise**2)), (2, CAMPAIGNS, blocks))


def test_a_5_percent_effect_needs_8_blocks_and_2_percent_37_at_3_percent_noise() -> None:
    assert (blocks_needed(0.03, 0.05), blocks_needed(0.03, 0.02)) == (8, 37)


@pytest.mark.parametrize(
    ("effect", "blocks", "expected"),
    [(0.05, 7, 0.75969), (0.05, 8, 0.83331), (0.02, 36, 0.79331), (0.02, 37, 0.80469)],
)
def test_power_is_that_of_statsmodels(effect: float, blocks: int, expected: float) -> None:
    """TTestPower().power(-log(1 - effect) / (0.03 sqrt 2), blocks, 0.05)."""
    assert power(0.03, effect, blocks) == pytest.approx(expected, abs=2e-4)


def test_simulated_campaigns_find_the_effect_as_often_as_planned() -> None:
    one, other = costs(0.03, 8)
    _, _, high = log_t(one - other + np.log(0.95))
    assert (high < 0).mean() == pytest.approx(power(0.03, 0.05, 8), abs=0.01)


def test_simulated_campaigns_without_effect_are_shown_equivalent_as_often_as_planned() -> None:
    for blocks in (5, 12):
        one, other = costs(0.02, blocks)
        found = equivalent(one - other, 0.03).mean()
        assert found == pytest.approx(equivalence_power(0.02, 0.03, blocks), abs=0.012)


@pytest.mark.parametrize("wanted", [0.5, 0.8, 0.95])
def test_the_number_found_is_the_fewest(wanted: float) -> None:
    blocks = blocks_needed(0.05, 0.04, wanted)
    assert power(0.05, 0.04, blocks) >= wanted > power(0.05, 0.04, blocks - 1)
    blocks = blocks_for_equivalence(0.05, 0.04, wanted)
    assert equivalence_power(0.05, 0.04, blocks) >= wanted > equivalence_power(0.05, 0.04, blocks - 1)


def test_a_plan_that_nobody_could_carry_out_is_refused() -> None:
    with pytest.raises(UsageError, match="more than 100,000 blocks"):
        blocks_needed(0.5, 0.0001)


@pytest.mark.parametrize(("noise", "blocks"), [(0.01, 10), (0.03, 5), (0.002, 3)])
def test_the_smallest_effect_is_found_in_80_percent_of_simulated_campaigns(noise: float, blocks: int) -> None:
    one, other = costs(noise, blocks)
    effect = smallest_effect(noise, blocks)
    assert effect is not None
    _, _, high = log_t(one - other + np.log1p(-effect))
    assert (high < 0).mean() == pytest.approx(0.8, abs=0.01)


def test_a_machine_with_1_percent_noise_finds_1_4_percent_in_10_blocks_and_0_93_in_20() -> None:
    assert smallest_effect(0.01, 10) == pytest.approx(0.0140, abs=5e-5)
    assert smallest_effect(0.01, 20) == pytest.approx(0.0093, abs=5e-5)
    assert smallest_effect(0.01, 1) is None


@pytest.mark.parametrize("blocks", [2, 3, 8, 37, 500])
def test_the_smallest_effect_is_the_inverse_of_power(blocks: int) -> None:
    effect = smallest_effect(0.03, blocks)
    assert effect is not None
    assert power(0.03, effect, blocks) == pytest.approx(0.8, abs=1e-4)


def test_noise_is_told_from_the_spread_of_differences() -> None:
    assert noise_of_a_run(spread_of_differences(0.07)) == pytest.approx(0.07)


@pytest.mark.parametrize("blocks", [2, 3, 4, 10])
def test_power_is_a_number_that_grows_with_the_effect(blocks: int) -> None:
    """At two blocks and eight standard errors scipy's lower tail is nan: two blocks were said to be enough."""
    shifts = np.arange(0, 30, 0.5) * spread_of_differences(0.001) / np.sqrt(blocks)
    found = [power(0.001, float(-np.expm1(-shift)), blocks) for shift in shifts]
    assert np.isfinite(found).all() and (np.diff(found) > -1e-6).all()
    assert blocks_needed(0.001, 0.00797) == 3


def test_noise_beyond_all_bounds_resolves_nothing() -> None:
    assert smallest_effect(noise_of_a_run(1000.0), 10) == 1.0
