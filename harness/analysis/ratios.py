"""Numbers derived from a run's energy, time and work; unknown where a part is unknown or not positive (rule R39)."""

from __future__ import annotations

import pandas as pd

from harness.analysis.groups import GROUP, TREATMENT


def per(amount: pd.Series, count: pd.Series) -> pd.Series:
    """E.g. joules per sample, per epoch; accuracy per joule."""
    return amount / count.where(count > 0)


def energy_delay_js(energy_j: pd.Series, duration_s: pd.Series, weight: int = 1) -> pd.Series:
    """Energy-delay product E t^weight in J s^weight: 1 is EDP, 2 weighs time more (ED2P)."""
    return energy_j * duration_s**weight


def cost_table(costs: pd.DataFrame, quantity: str) -> pd.DataFrame:
    """COST_COLUMNS as rows of groups and columns of treatments, for over_best and the tests of ranks.

    Unknown means, and treatments that a group lacks, are null.
    """
    rows = costs[costs["quantity"] == quantity]
    return rows.pivot(index=GROUP, columns=TREATMENT, values="mean")


def over_best(costs: pd.DataFrame) -> pd.DataFrame:
    """p / p_min: each cost over the smallest of its row, so that 1 is the best and 1.3 costs 30 % more.

    Rows are workloads (or blocks), columns treatments. A row with a value that is not positive has no ratios; an
    unknown value stays unknown and is no minimum. Source: the performance ratios of Dolan and More 2002, Math.
    Program. 91:201.
    """
    positive = costs.where((costs.isna() | (costs > 0)).all(axis=1))
    return positive.div(positive.min(axis=1), axis=0)


def performance_profile(costs: pd.DataFrame) -> pd.DataFrame:
    """Long: treatment, ratio, share: the share of rows on which a treatment costs at most `ratio` times the best.

    An unknown cost counts as never reached.
    """
    ratios = over_best(costs)
    parts = []
    for name in ratios.columns:
        steps = ratios[name].dropna().sort_values().to_numpy()
        shares = [(place + 1) / len(ratios) for place in range(len(steps))]
        parts.append(pd.DataFrame({"treatment": name, "ratio": steps, "share": shares}))
    return pd.concat(parts, ignore_index=True)
