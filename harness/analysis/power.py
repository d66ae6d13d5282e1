"""How many blocks a plan needs (rule R36), for the paired log-t test of the headline.

`noise`: standard deviation of one run's cost as a share of its mean, alike in both treatments, so that a log
difference spreads by sqrt(2) times as much. `effect`: the treatment costs so much less, a ratio of 1 - effect.
With 80 % power, 3 % noise and a 5 % effect need 8 blocks, a 2 % effect 37.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache

import numpy as np
import scipy

from harness.analysis.verdict import Floats, log_margin
from harness.errors import UsageError

ALPHA, POWER = 0.05, 0.80
MOST_BLOCKS = 100_000


def spread_of_differences(noise: float) -> float:
    """Standard deviation of log differences, for log-normal costs with this coefficient of variation."""
    return float(np.sqrt(2 * np.log1p(noise**2)))


def noise_of_a_run(spread: float) -> float:
    """The other way round: from the standard deviation of log differences."""
    with np.errstate(over="ignore"):  # infinite noise finds nothing, which is true
        return float(np.sqrt(np.expm1(spread**2 / 2)))


def power(noise: float, effect: float, blocks: int, alpha: float = ALPHA) -> float:
    """Probability that the interval excludes 1: noncentral t with blocks - 1 degrees of freedom."""
    if blocks < 2:
        return 0.0
    shift = -np.log1p(-effect) / spread_of_differences(noise) * np.sqrt(blocks)
    critical = scipy.stats.t.isf(alpha / 2, blocks - 1)
    lower = np.nan_to_num(
        scipy.stats.nct.cdf(-critical, blocks - 1, shift)
    )  # scipy has no number where it is next to 0
    return float(scipy.stats.nct.sf(critical, blocks - 1, shift) + lower)


def smallest_effect(noise: float, blocks: int, wanted: float = POWER, alpha: float = ALPHA) -> float | None:
    """The smallest difference that so many blocks find with probability `wanted`; None below two, which find none."""
    if blocks < 2:
        return None
    shift = spread_of_differences(noise) / np.sqrt(blocks) * _findable(blocks, wanted, alpha)
    return float(-np.expm1(-shift))


@cache
def _findable(blocks: int, wanted: float, alpha: float) -> float:
    """The noncentrality, in standard errors, at which the upper tail alone has this power; the lower adds nothing."""
    critical = scipy.stats.t.isf(alpha / 2, blocks - 1)
    return float(
        scipy.optimize.brentq(lambda shift: scipy.stats.nct.sf(critical, blocks - 1, shift) - wanted, 0, 100)
    )


def equivalence_power(noise: float, margin: float, blocks: int, alpha: float = ALPHA) -> float:
    """Probability that TOST shows equivalence where nothing differs, integrated over the spread that is found.

    The mean is normal and independent of the spread, chi with blocks - 1 degrees of freedom.
    """
    if blocks < 2:
        return 0.0
    df, error = blocks - 1, spread_of_differences(noise) / np.sqrt(blocks)
    found = error * _spreads(df)
    room = np.maximum(log_margin(margin) - scipy.stats.t.isf(alpha, df) * found, 0)
    return float((2 * scipy.stats.norm.cdf(room / error) - 1).mean())


@lru_cache(maxsize=256)
def _spreads(df: int) -> Floats:
    """What a spread of 1 may be found to be: its quantiles, evenly apart in chance. Read alone, never changed."""
    shares = (np.arange(2000) + 0.5) / 2000
    return np.asarray(np.sqrt(scipy.stats.chi2.ppf(shares, df) / df))


def blocks_needed(noise: float, effect: float, wanted: float = POWER, alpha: float = ALPHA) -> int:
    """Fewest blocks with which a difference of this size is found with probability `wanted`."""
    return _fewest(lambda blocks: power(noise, effect, blocks, alpha), wanted)


def blocks_for_equivalence(noise: float, margin: float, wanted: float = POWER, alpha: float = ALPHA) -> int:
    """Fewest blocks with which two treatments without difference are shown to be equivalent."""
    return _fewest(lambda blocks: equivalence_power(noise, margin, blocks, alpha), wanted)


def _fewest(power_of: Callable[[int], float], wanted: float) -> int:
    """Power grows with the blocks: doubles until there are enough, then halves the gap."""
    enough = 2
    while power_of(enough) < wanted:
        enough *= 2
        if enough > MOST_BLOCKS:
            raise UsageError(
                f"more than {MOST_BLOCKS:,} blocks are needed; plan for a larger effect or less noise"
            )
    few = enough // 2
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (few, middle) if power_of(middle) >= wanted else (middle, enough)
    return enough
