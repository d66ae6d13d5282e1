"""Whether a cost rose by more than was allowed: what a gate asks, with its own third answer."""

from __future__ import annotations

from enum import StrEnum

import pandas as pd


class Outcome(StrEnum):
    """PASS: the whole interval lies at or below the limit. REGRESSION: above it. INCONCLUSIVE: neither is shown."""

    PASS = "pass"
    REGRESSION = "regression"
    INCONCLUSIVE = "inconclusive"


def judge(rows: pd.DataFrame, max_increase: float) -> pd.Series:
    """An Outcome for each ratio (`low` and `high` of COST_COLUMNS); one without an interval shows nothing."""
    limit = 1 + max_increase
    low, high = (pd.to_numeric(rows[name], errors="coerce") for name in ("low", "high"))
    outcomes = pd.Series(Outcome.INCONCLUSIVE, index=rows.index, dtype=object)
    return outcomes.mask(high <= limit, Outcome.PASS).mask(low > limit, Outcome.REGRESSION)


def overall(outcomes: pd.Series) -> Outcome:
    """One regression is one; what is not shown for every ratio has not passed. Without any, nothing is shown."""
    found = set(outcomes)
    worst = [one for one in (Outcome.REGRESSION, Outcome.INCONCLUSIVE) if one in found]
    return worst[0] if worst else Outcome.PASS if found else Outcome.INCONCLUSIVE
