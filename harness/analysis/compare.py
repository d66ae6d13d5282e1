"""Effect first: ratios of geometric means with intervals from paired log differences within blocks (rule R31).

An interval has two parts, added in quadrature: the scatter from block to block (Student's t, or a wider critical value
where several ratios hold at once), and what measuring leaves unsure of each run (harness.energy.series; normal, at
the same level). Source of the sum: JCGM 100:2008 (GUM), evaluations of type A and B.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy

from harness.analysis.intervals import mean_and_error
from harness.analysis.pairs import Pair, unspread
from harness.analysis.replicates import BLOCKS
from harness.analysis.simultaneous import ALONE, ErrorLevel
from harness.analysis.verdict import MARGIN, Floats, Verdict, judge, log_margin


@dataclass(frozen=True)
class Ratio:
    """Geometric mean of treatment / reference over blocks, with its interval; None where `reason` says why.

    `equivalent`: shown to lie within the margin, by TOST at 5 %. `scatter`, `measured`: the two parts of the
    interval's half-width, on logarithms; `measured` is None where the runs' own uncertainty is unknown.
    """

    ratio: float
    low: float | None
    high: float | None
    blocks: int
    margin: float = MARGIN
    equivalent: bool = False
    scatter: float | None = None
    measured: float | None = None
    reason: str = ""

    @property
    def verdict(self) -> Verdict:
        """For a quantity of which less is better."""
        low, high = (np.nan if one is None else np.log(one) for one in (self.low, self.high))
        return Verdict(judge(np.asarray(low), np.asarray(high), np.asarray(self.equivalent)).item())


class Reach(NamedTuple):
    """Half of an interval on logarithms, and its two parts."""

    scatter: float
    measured: float | None

    @property
    def total(self) -> float:
        return hypot(self.scatter, self.measured or 0.0)


def geometric_mean(values: pd.Series) -> float | None:
    """Of positive values; None without any."""
    known = values.to_numpy(dtype=np.float64, na_value=np.nan)
    known = known[~np.isnan(known)]
    return float(np.exp(np.log(known).mean())) if len(known) and (known > 0).all() else None


def ratio_of(
    differences: Floats,
    level: ErrorLevel = ALONE,
    margin: float = MARGIN,
    measured: float | None = None,
    resolution: float = 0.0,
    kind: str = BLOCKS,
) -> Ratio:
    """From log differences, one a block, or what else `kind` says (harness.analysis.replicates).

    `measured`: the standard uncertainty that measuring leaves in their mean. No spread, or less than `resolution`, has
    no interval: it is no measure of how sure the ratio is.
    """
    n, edge = len(differences), log_margin(margin)
    mean, error = (float(one) for one in mean_and_error(differences))
    if reason := unspread(differences, resolution, kind):
        return Ratio(float(np.exp(mean)), None, None, n, margin, measured=measured, reason=reason)
    both, single = (reach(error, level.critical(n, sides), n - 1, measured) for sides in (2, 1))
    low, high = float(np.exp(mean - both.total)), float(np.exp(mean + both.total))
    equivalent = abs(mean) + single.total <= edge
    return Ratio(float(np.exp(mean)), low, high, n, margin, equivalent, both.scatter, both.measured)


def reach(error: float, critical: float, freedom: float, measured: float | None) -> Reach:
    """Half an interval: `error` of the mean times t, and the uncertainty of measuring times z of the same tail."""
    if measured is None:
        return Reach(critical * error, None)
    tail = scipy.special.stdtr(freedom, -critical)  # as scipy.stats.t.sf, without its care for arrays
    z = -float(scipy.special.ndtri(tail))
    return Reach(critical * error, z * measured)


def p_value(mean: float, error: float, freedom: float, measured: float | None = None) -> float:
    """Of a mean of log differences, one-sided: the tail at which the interval just reaches 0.

    Student's where nothing is known of measuring; 1 minus that of the other side for a mean below 0.
    """
    if mean < 0:
        return 1 - p_value(-mean, error, freedom, measured)
    t = mean / error
    if measured:
        t = scipy.optimize.brentq(lambda one: reach(error, one, freedom, measured).total - mean, 0.0, t)
    return float(scipy.special.stdtr(freedom, -t))


def told(pair: Pair, level: ErrorLevel = ALONE, margin: float = MARGIN) -> Ratio:
    """`ratio_of` with what measuring leaves unsure of the pair."""
    return ratio_of(pair.differences, level, margin, pair.mean_measured, pair.resolution, pair.kind)


class JouleKinds(NamedTuple):
    """What the joules of some runs are, and of which boundary."""

    provenance: frozenset[str]
    boundary: frozenset[str]

    @classmethod
    def of(cls, runs: pd.DataFrame) -> JouleKinds:
        return cls(_texts(runs["provenance"]), _texts(runs["energy_boundary"]))

    @property
    def words(self) -> str:
        """In a word; several where they must not meet."""
        return " and ".join(sorted(self.provenance))


def _texts(column: pd.Series) -> frozenset[str]:
    values = pd.unique(column.to_numpy(dtype=object))
    return frozenset(one for one in values if isinstance(one, str))


def mixed(runs: pd.DataFrame) -> str:
    """Why the joules of these runs must not meet; empty where they may."""
    return together(JouleKinds.of(runs))


def together(*several: JouleKinds) -> str:
    """Likewise, of the joules of several."""
    for found in (frozenset().union(*kinds) for kinds in zip(*several, strict=True)):
        if len(found) > 1:
            return f"{' and '.join(sorted(found))} energy are never compared"
    return ""
