"""Exact p-values of rank tests, ties and all: every split, every change of signs, counted by their rank sum.

Ranks share ties as halves, so twice a rank is a whole number, and the number of ways to each sum follows by adding
one rank after the other. Sources: Mann and Whitney 1947, Ann. Math. Stat. 18:50; Streitberg and Roehmel 1986, Stat.
Software Newsl. 12:10.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from harness.analysis.verdict import Floats

RANK_SUM_VALUES = 200  # of both groups together: a tenth of a second a side of 50, seconds beyond
SIGNED_RANK_PAIRS = 500


@dataclass(frozen=True)
class Exact:
    """Two-sided: `p` of these data, `smallest_p` of the most extreme ones with the same ranks."""

    p: float
    smallest_p: float


def rank_sum(treatment: Floats, reference: Floats) -> Exact:
    """Among all ways to split the pooled values into two groups of these sizes, those at least as far apart."""
    ranks = _doubled(scipy.stats.rankdata([*treatment, *reference]))
    take = len(treatment)
    ways = np.zeros((take + 1, int(ranks.sum()) + 1))  # by how many ranks, and their sum
    ways[0, 0] = 1.0
    for rank in ranks:
        ways[1:, rank:] += ways[:-1, : ways.shape[1] - rank].copy()
    return _two_sided(ways[take] / ways[take].sum(), int(ranks[:take].sum()))


def signed_rank(differences: Floats) -> Exact:
    """Among all changes of signs of the differences that are not 0 (Wilcoxon's way with zeros)."""
    known = differences[differences != 0]
    ranks = _doubled(scipy.stats.rankdata(np.abs(known)))
    shares = np.zeros(int(ranks.sum()) + 1)
    shares[0] = 1.0
    for rank in ranks:
        shares[rank:] += shares[: len(shares) - rank].copy()
        shares /= 2
    return _two_sided(shares, int(ranks[known > 0].sum()))


def _doubled(ranks: Floats) -> npt.NDArray[np.int64]:
    return np.rint(2 * ranks).astype(np.int64)


def _two_sided(shares: Floats, found: int) -> Exact:
    """Twice the smaller tail, the convention of R; `shares` of each sum."""
    below, above = np.cumsum(shares), np.cumsum(shares[::-1])[::-1]
    p = 2 * min(below[found], above[found])
    possible = np.flatnonzero(shares > 0)
    smallest = 2 * min(below[possible[0]], above[possible[-1]])
    return Exact(float(min(1.0, p)), float(min(1.0, smallest)))
