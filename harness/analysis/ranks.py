"""More than two treatments at once: Friedman's test, and which pairs differ after it (rule R33).

Rows are blocks (or workloads, for a critical-difference diagram over them), columns treatments; less is better, so
rank 1 costs least. Source: Demsar 2006, J. Mach. Learn. Res. 7:1.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
import scipy

from harness.analysis.significance import ALPHA, TestResult

LEAST_TREATMENTS = 3


def friedman(costs: pd.DataFrame) -> TestResult:
    """Whether any treatment's ranks differ; complete rows only. p from chi-squared, conservative with few rows."""
    table, name = costs.dropna(), "friedman"
    n, k = table.shape
    if n < 2 or k < LEAST_TREATMENTS:
        return TestResult(name, None, None, n, 1.0, "needs two rows and three treatments")
    smallest = float(scipy.stats.chi2.sf(n * (k - 1), k - 1))
    if (table.nunique(axis=1) == 1).all():
        return TestResult(name, None, None, n, smallest, "all alike")
    found = scipy.stats.friedmanchisquare(*table.to_numpy(dtype=np.float64).T)
    return TestResult(name, float(found.statistic), float(found.pvalue), n, smallest)


def mean_ranks(costs: pd.DataFrame) -> pd.Series:
    """By treatment, ascending; ties share their ranks."""
    return costs.dropna().rank(axis=1).mean().sort_values(kind="stable")


def nemenyi(costs: pd.DataFrame) -> pd.DataFrame:
    """Post-hoc: one row per pair (one, other, p), corrected for all pairs by the studentized range."""
    ranks, n = mean_ranks(costs), len(costs.dropna())
    scale = np.sqrt(len(ranks) * (len(ranks) + 1) / (6 * n)) / np.sqrt(2)
    pairs = list(combinations(costs.columns, 2))
    gaps = np.array([abs(ranks[one] - ranks[other]) for one, other in pairs])
    p = scipy.stats.studentized_range.sf(gaps / scale, len(ranks), np.inf)
    return pd.DataFrame(pairs, columns=["one", "other"]).assign(p=np.clip(p, 0, 1))


@dataclass(frozen=True)
class CriticalDifference:
    """What a critical-difference diagram shows: mean ranks, the gap that is significant, and who is joined by a bar.

    `cliques`: the largest sets of treatments, two or more, whose mean ranks differ by less than the gap.
    """

    ranks: pd.Series
    difference: float
    cliques: tuple[tuple[str, ...], ...]


def critical_difference(costs: pd.DataFrame, alpha: float = ALPHA) -> CriticalDifference:
    """Nemenyi's critical difference of mean ranks over complete rows, of which there must be one at least."""
    ranks, n = mean_ranks(costs), len(costs.dropna())
    k = len(ranks)
    quantile = scipy.stats.studentized_range.isf(alpha, k, np.inf) / np.sqrt(2)
    difference = float(quantile * np.sqrt(k * (k + 1) / (6 * n)))
    return CriticalDifference(ranks, difference, _cliques(ranks, difference))


def _cliques(ranks: pd.Series, difference: float) -> tuple[tuple[str, ...], ...]:
    found: list[tuple[str, ...]] = []
    for start, low in enumerate(ranks):
        near = tuple(str(name) for name in ranks.index[start:][ranks.iloc[start:] <= low + difference])
        if len(near) > 1 and not any(set(near) <= set(one) for one in found):
            found.append(near)
    return tuple(found)
