"""Critical values under which all comparisons of many treatments with one hold at once (Dunnett's question).

Every comparison is a paired t of its own: the differences to the reference, over their own standard deviation, so
that one restless treatment widens no other's interval. What the comparisons share is the reference. Given what the
reference did in the blocks they are independent: with a = root of n times its mean, q = the sum of squares around it,
    P(all |t| <= c) = E over a, q of [P(|t| <= c | a, q)]^m,    a normal, q chi-squared with n - 1 degrees of freedom,
and t given a and q is a normal about -a over the root of a noncentral chi-squared about q, by its degrees of freedom.
Exact where noise is normal and alike in all treatments; docs/statistics.md has what happens where it is not.

Source of the question: Dunnett 1955, J. Am. Stat. Assoc. 50:1096.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import scipy

from harness.analysis.verdict import Floats

ALPHA = 0.05
NODES_MEAN, NODES_SPREAD, NODES_OWN = 40, 40, 80  # of Gauss' quadrature; more change no digit that is shown
NO_WEIGHT = 1e-18  # of a node's chance: less than rounding leaves of the sum
LARGEST_T = 1e7  # two blocks and many comparisons come near


class ErrorLevel(NamedTuple):
    """What error a ratio may have: `alpha`, held over so many comparisons with one reference together."""

    comparisons: int = 1
    alpha: float = ALPHA

    def critical(self, blocks: int, sides: int = 2) -> float:
        return critical_t(blocks, self.comparisons, self.alpha, sides)


ALONE = ErrorLevel()


@lru_cache(maxsize=1024)
def critical_t(blocks: int, comparisons: int, alpha: float = ALPHA, sides: int = 2) -> float:
    """c so that no t of so many comparisons passes it with probability 1 - alpha; Student's for a single one.

    `sides`: 2 for |t| <= c, 1 for t <= c. nan below two blocks, where no t is known.
    """
    if blocks < 2:
        return float("nan")
    single = float(scipy.stats.t.isf(alpha / sides, blocks - 1))
    if comparisons <= 1:
        return single
    grid = _grid(blocks)
    found = scipy.optimize.brentq(
        lambda log_c: _all_within(grid, float(np.exp(log_c)), comparisons, sides) - (1 - alpha),
        np.log(single),
        np.log(LARGEST_T),
        xtol=1e-7,
    )
    return float(np.exp(found))


def simultaneous_p(t: float, blocks: int, comparisons: int) -> float:
    """The chance that any |t| of so many comparisons reaches this one without effect: p, adjusted for all of them."""
    single = float(2 * scipy.stats.t.sf(abs(t), blocks - 1))
    if comparisons <= 1:
        return single
    return min(comparisons * single, max(single, 1 - _all_within(_grid(blocks), abs(t), comparisons, 2)))


@dataclass(frozen=True)
class _Grid:
    """Nodes: the reference's mean `a` (i), and the treatment's own standard deviation given its spread (j, k).

    Without the nodes of `a` that have no weight, most of the outer ones.
    """

    mean: Floats  # (i,)
    own: Floats  # (j, k)
    weights_own: Floats  # (k,)
    weights: Floats  # (i, j)

    @property
    def one_side(self) -> _Grid:
        """Of what is alike for `a` and -a: the half of the nodes, each with twice the weight."""
        right = self.mean > 0
        return _Grid(self.mean[right], self.own, self.weights_own, 2 * self.weights[right])


@lru_cache(maxsize=64)
def _grid(blocks: int) -> _Grid:
    freedom = blocks - 1
    mean, weights_mean = np.polynomial.hermite_e.hermegauss(NODES_MEAN)
    weights_mean = weights_mean / weights_mean.sum()
    mean, weights_mean = (one[weights_mean > NO_WEIGHT] for one in (mean, weights_mean))
    u, weights_spread = _unit(NODES_SPREAD)
    v, weights_own = _unit(NODES_OWN)
    # A large t comes of a small own spread: nodes crowd at 0.
    own = scipy.stats.ncx2.ppf(v[None, :] ** 3, freedom, scipy.stats.chi2.ppf(u, freedom)[:, None])
    weights = np.outer(weights_mean, weights_spread)
    return _Grid(mean, np.sqrt(own / freedom), 3 * v**2 * weights_own, weights)


def _unit(nodes: int) -> tuple[Floats, Floats]:
    """Gauss-Legendre on 0 to 1."""
    x, weights = np.polynomial.legendre.leggauss(nodes)
    return (x + 1) / 2, weights / 2


def _all_within(grid: _Grid, c: float, comparisons: int, sides: int) -> float:
    grid = grid.one_side if sides == 2 else grid
    a, reach = grid.mean[:, None, None], c * grid.own[None, :, :]
    inside = scipy.special.ndtr(a + reach) - (scipy.special.ndtr(a - reach) if sides == 2 else 0.0)
    one = np.clip(inside @ grid.weights_own, 0.0, 1.0)  # (i, j): of one comparison, given the reference
    return float(np.sum(grid.weights * one**comparisons))
