"""Beside every interval that takes noise for normal: what signs alone say, and on which block a verdict rests."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import scipy

from harness.analysis.compare import Ratio
from harness.analysis.flipping import in_groups
from harness.analysis.pairs import NO_SPREAD, Pair
from harness.analysis.simultaneous import ALONE, ALPHA, ErrorLevel
from harness.analysis.verdict import MARGIN, Floats, Verdict, judge, log_margin

ALL_SUBSETS = 14  # blocks up to which every subset is taken; beyond, as many are drawn, of many in groups
SUBSETS = 2**ALL_SUBSETS - 1
SEED = 1


@dataclass(frozen=True)
class Checks:
    """What a verdict withstands.

    `flip_low`, `flip_high`: the interval that changes of signs give, None where so few blocks allow none at this
    level. `without_low`, `without_high`: the range of the ratio when any one block is left out. `rests_on`: blocks
    without any of which the verdict would be another.
    """

    flip_low: float | None = None
    flip_high: float | None = None
    without_low: float | None = None
    without_high: float | None = None
    rests_on: tuple[int, ...] = ()


def checks(pair: Pair, ratio: Ratio, level: ErrorLevel = ALONE, margin: float = MARGIN) -> Checks:
    """Of a ratio that `told` has told from the same pair at the same level."""
    if ratio.low is None:
        return Checks()
    low, high = sign_flip_interval(pair.differences, own_alpha(level.critical(ratio.blocks), ratio.blocks))
    left, verdicts = _without_each(pair, level, margin)
    rests = tuple(np.array(pair.blocks)[verdicts != ratio.verdict].tolist())
    proven = ratio.verdict is not Verdict.INCONCLUSIVE
    return Checks(low, high, float(np.exp(left.min())), float(np.exp(left.max())), rests if proven else ())


def _without_each(pair: Pair, level: ErrorLevel, margin: float) -> tuple[Floats, npt.NDArray[np.str_]]:
    """The mean difference and the verdict, as `told` would tell them, without each block in turn."""
    n, apart = len(pair.differences), pair.differences - pair.differences.mean()
    means = pair.differences.mean() - apart / (n - 1)
    squares = np.maximum(np.square(apart).sum() - np.square(apart) * n / (n - 1), 0.0)
    if n < 3:
        return means, np.full(n, Verdict.INCONCLUSIVE)
    errors = np.sqrt(squares / (n - 2) / (n - 1))
    least = max(NO_SPREAD, pair.resolution)
    errors = np.where(_spreads_without_each(pair.differences) <= least, np.nan, errors)
    measured = _measured_without_each(pair)
    both, single = (_reach(errors, level.critical(n - 1, sides), n - 2, measured) for sides in (2, 1))
    equivalent = np.abs(means) + single <= log_margin(margin)
    return means, judge(means - both, means + both, equivalent)


def _spreads_without_each(values: Floats) -> Floats:
    """The range of the others: of at least three."""
    lowest, highest = np.partition(values, 1)[:2], np.partition(values, -2)[-2:]
    low = np.where(values == lowest[0], lowest[1], lowest[0])
    high = np.where(values == highest[1], highest[0], highest[1])
    return np.asarray(high - low)


def _measured_without_each(pair: Pair) -> Floats:
    if pair.measured is None:
        return np.zeros(len(pair.differences))
    squares = np.square(pair.measured)
    return np.asarray(np.sqrt(squares.sum() - squares) / (len(squares) - 1))


def _reach(errors: Floats, critical: float, freedom: int, measured: Floats) -> Floats:
    """As harness.analysis.compare.reach, of many at once."""
    z = scipy.stats.norm.isf(scipy.stats.t.sf(critical, freedom))
    return np.asarray(np.hypot(critical * errors, z * measured))


def own_alpha(critical: float, blocks: int) -> float:
    """What a single ratio may err by, that all together keep their level: the two tails beyond a critical t."""
    return float(2 * scipy.stats.t.sf(critical, blocks - 1))


def sign_flip_interval(differences: Floats, alpha: float = ALPHA) -> tuple[float | None, float | None]:
    """Low and high of the ratio: the values that a test over all changes of signs does not refute.

    It needs independent differences that are symmetric about their centre, and no normality. That test refutes a value
    when too few means of subsets of the differences lie on one side of it: the 2^n - 1 means cut the line into 2^n
    parts, equally likely to hold the centre. Nothing at 5 % below six blocks. Source: Hartigan 1969, J. Am. Stat.
    Assoc. 64:1303.
    """
    means = np.sort(_subset_means(differences))
    cut = int(np.floor(alpha / 2 * (len(means) + 1) + 1e-9))
    if cut < 1:
        return None, None
    return float(np.exp(means[cut - 1])), float(np.exp(means[-cut]))


def _subset_means(differences: Floats) -> Floats:
    if len(differences) > ALL_SUBSETS:
        sums, sizes = in_groups(differences)
        weights = _drawn(len(sums))
        return np.asarray(
            weights @ sums if len(sums) == len(differences) else weights @ sums / (weights @ sizes)
        )
    sums, sizes = np.zeros(1), np.zeros(1)
    for value in differences:
        sums, sizes = np.concatenate([sums, sums + value]), np.concatenate([sizes, sizes + 1])
    return np.asarray(sums[1:] / sizes[1:])


@lru_cache(maxsize=4)
def _drawn(blocks: int) -> Floats:
    """Weights of a mean over a random subset, one a row."""
    taken = np.random.default_rng(SEED).random((SUBSETS, blocks)) < 0.5
    taken[~taken.any(axis=1), 0] = True
    return np.asarray(taken / taken.sum(axis=1, keepdims=True))
