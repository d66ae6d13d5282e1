"""Whether a cost rose by more than was allowed: what a gate asks, with its own third answer.

Several ratios at once: a gate passes only where every interval lies within the limit, so that it passes wrongly no
more often than a single interval errs (intersection-union; Berger 1982, Technometrics 24:295). One regression is
enough to fail, so intervals are widened until all lower ends of the gate hold together (Bonferroni).
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np
import pandas as pd
import scipy

from harness.analysis.intervals import CONFIDENCE
from harness.analysis.verdict import Floats

NOT_TOGETHER = "above the limit by itself, but not with all that is gated at once: run more blocks"


class GateOutcome(StrEnum):
    """PASS: the whole interval lies at or below the limit. REGRESSION: above it. INCONCLUSIVE: neither is shown."""

    PASS = "pass"
    REGRESSION = "regression"
    INCONCLUSIVE = "inconclusive"


def judge(rows: pd.DataFrame, max_increase: float) -> pd.Series:
    """The outcome of each ratio of a gate (`low` and `high` of COST_COLUMNS); one without an interval shows nothing.

    As far as rows tell: `family` (of how many their intervals hold together already), `freedom` (degrees of it) or
    `blocks`. A row with a `ratio_reason` shows nothing either: its verdict is withheld.
    """
    limit = 1 + max_increase
    high = pd.to_numeric(rows["high"], errors="coerce")
    outcomes = pd.Series(GateOutcome.INCONCLUSIVE, index=rows.index, dtype=object)
    outcomes = outcomes.mask(high <= limit, GateOutcome.PASS).mask(
        low_together(rows) > limit, GateOutcome.REGRESSION
    )
    reasons = _column(rows, "ratio_reason", None)
    return outcomes.mask(reasons.notna() & (reasons != ""), GateOutcome.INCONCLUSIVE)


def low_together(rows: pd.DataFrame) -> pd.Series:
    """Lower ends that hold together for all rows; never above those that rows have."""
    ratio, low = (pd.to_numeric(_column(rows, name, np.nan), errors="coerce") for name in ("ratio", "low"))
    if len(rows) < 2:
        return low
    family = pd.to_numeric(_column(rows, "family", 1), errors="coerce").fillna(1).clip(1, len(rows))
    blocks = pd.to_numeric(_column(rows, "blocks", 2), errors="coerce").fillna(2)
    freedom = (
        pd.to_numeric(_column(rows, "freedom", np.nan), errors="coerce").fillna(blocks - 1).clip(lower=1)
    )
    wider = _critical(len(rows), freedom.to_numpy()) / _critical(family.to_numpy(), freedom.to_numpy())
    return ratio * (low / ratio) ** np.maximum(wider, 1.0)


def _critical(family: Floats | int, freedom: Floats) -> Floats:
    return np.asarray(scipy.stats.t.isf((1 - CONFIDENCE) / 2 / family, freedom))


def _column(rows: pd.DataFrame, name: str, otherwise: object) -> pd.Series:
    return rows[name] if name in rows else pd.Series(otherwise, index=rows.index)


def overall(outcomes: pd.Series) -> GateOutcome:
    """One regression is one; what is not shown for every ratio has not passed. Without any, nothing is shown."""
    found = set(outcomes)
    worst = [one for one in (GateOutcome.REGRESSION, GateOutcome.INCONCLUSIVE) if one in found]
    return worst[0] if worst else GateOutcome.PASS if found else GateOutcome.INCONCLUSIVE
