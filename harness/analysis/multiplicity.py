"""p-values of several comparisons at once (rule R32)."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd


def holm(p: pd.Series) -> pd.Series:
    """Adjusted, so that p <= alpha keeps the chance of any false positive at alpha. Null p are no comparisons.

    Source: Holm 1979, Scand. J. Stat. 6:65.
    """
    known = p.dropna().astype("float64").sort_values(kind="stable")
    factors = pd.Series(range(len(known), 0, -1), index=known.index)
    return (known * factors).cummax().clip(upper=1.0).reindex(p.index)


def bonferroni(p: pd.Series) -> pd.Series:
    """p times the number of comparisons: simpler than Holm's, and never smaller."""
    return (p.astype("float64") * p.notna().sum()).clip(upper=1.0)


CORRECTIONS: dict[str, Callable[[pd.Series], pd.Series]] = {"holm": holm, "bonferroni": bonferroni}
