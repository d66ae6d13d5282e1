"""Which quantities go together over the runs: Spearman's rank correlation, corrected for all pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import scipy

from harness.analysis.multiplicity import holm

CORRELATION_COLUMNS = ["one", "other", "n", "rho", "p", "p_holm"]
LEAST = 3


def spearman(frame: pd.DataFrame, quantities: list[str]) -> pd.DataFrame:
    """CORRELATION_COLUMNS, one row per pair; n runs have both values; rho and p are null below three, or if constant.

    p is from the t approximation, rough below ten runs.
    """
    rows = [_pair(frame[[one, other]].dropna(), one, other) for one, other in combinations(quantities, 2)]
    table = pd.DataFrame(rows, columns=CORRELATION_COLUMNS[:-1]).astype({"rho": "float64", "p": "float64"})
    return table.assign(p_holm=holm(table["p"]))


def _pair(known: pd.DataFrame, one: str, other: str) -> tuple[str, str, int, float, float]:
    if len(known) < LEAST or known.nunique().min() < 2:
        return one, other, len(known), np.nan, np.nan
    found = scipy.stats.spearmanr(known[one], known[other])
    return one, other, len(known), float(found.statistic), float(found.pvalue)
