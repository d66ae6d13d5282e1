"""What the order of the runs shows: dependence from run to run and drift (rules R23, R35)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy

from harness.analysis.replicates import SESSION
from harness.analysis.verdict import Floats


def lag1(values: Floats) -> float | None:
    """Autocorrelation of values with their successors, in the order of the runs; about -1/n without dependence.

    None below three values, or where all are alike.
    """
    if len(values) < 3 or np.ptp(values) == 0:
        return None
    centred = values - values.mean()
    return float((centred[:-1] * centred[1:]).sum() / (centred**2).sum())


class Drift(NamedTuple):
    """Spearman's rank correlation of the value with its place in the order; None where it is not defined."""

    rho: float | None
    p: float | None


def drift(values: Floats) -> Drift:
    """`values` in the order of the runs. p is from the t approximation, rough below ten runs.

    As scipy.stats.spearmanr, whose care for arrays of every shape takes ten times as long.
    """
    if len(values) < 3 or np.ptp(values) == 0:
        return Drift(None, None)
    n = len(values)
    rho = float(np.corrcoef(np.arange(1, n + 1), scipy.stats.rankdata(values))[1, 0])
    with np.errstate(divide="ignore"):
        t = rho * np.sqrt(np.divide(n - 2, (1 + rho) * (1 - rho)).clip(0))
    return Drift(rho, float(2 * scipy.special.stdtr(n - 2, -np.abs(t))))


def within_sessions(runs: pd.DataFrame, quantity: str) -> Floats:
    """Values in the order of their runs; of several sessions their parts of each one's median, in its own order.

    `runs` in their order, each with a value.
    """
    if SESSION not in runs:
        return runs[quantity].to_numpy(dtype=np.float64)
    of_session = runs.groupby(SESSION)[quantity]
    parts = (runs[quantity] / of_session.transform("median")).to_numpy(dtype=np.float64)
    return parts[np.argsort(of_session.cumcount().to_numpy(), kind="stable")]
