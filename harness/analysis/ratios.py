"""Numbers derived from a run's energy, time and work; unknown where a part is unknown or not positive (rule R39)."""

from __future__ import annotations

import pandas as pd


def per(amount: pd.Series, count: pd.Series) -> pd.Series:
    """E.g. joules per sample, per epoch; accuracy per joule."""
    return amount / count.where(count > 0)


def energy_delay_js(energy_j: pd.Series, duration_s: pd.Series) -> pd.Series:
    """Energy-delay product, in J s."""
    return energy_j * duration_s


def over_best(costs: pd.DataFrame) -> pd.DataFrame:
    """p / p_min: each cost over the smallest of its row, so that 1 is the best and 1.3 costs 30 % more.

    Rows are workloads (or blocks), columns treatments. A row with a value that is not positive has no ratios; an
    unknown value stays unknown and is no minimum. Source: the performance ratios of Dolan and More 2002, Math.
    Program. 91:201.
    """
    positive = costs.where((costs.isna() | (costs > 0)).all(axis=1))
    return positive.div(positive.min(axis=1), axis=0)
