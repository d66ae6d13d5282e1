"""Several comparisons at once (rule R32): at which level each ratio of a table is told, and p-values to match.

A table is what one quantity of the same work costs: every treatment against one reference, chosen before the data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import scipy

from harness.analysis.compare import told
from harness.analysis.pairs import Pair
from harness.analysis.simultaneous import ALPHA, LARGEST_T, ErrorLevel, simultaneous_p
from harness.errors import UsageError
from harness.suggest import unknown

SIMULTANEOUS, HOLM, BONFERRONI, PER_RATIO = "simultaneous", "holm", "bonferroni", "per-ratio"
ALL_LOOKS = "all looks and ratios"  # of an adaptive campaign, declared before its first run
Levels = Callable[[Sequence[Pair], int], list[ErrorLevel]]
WORDS = {
    SIMULTANEOUS: "all intervals of a table hold at once (Dunnett)",
    HOLM: "verdicts of a table corrected by Holm; its intervals do not hold all at once",
    BONFERRONI: "all intervals of a table hold at once (Bonferroni)",
    PER_RATIO: "each interval by itself: one in twenty misses, however many there are",
    ALL_LOOKS: "all looks at all ratios that decide err together in 5 % (spending, Bonferroni)",
}


def levels(errors: str) -> Levels:
    """A name of WORDS -> what level each pair of a table has among so many planned. Raises: UsageError."""
    if errors not in LEVELS:
        raise UsageError(unknown("way to hold errors", errors, LEVELS))
    return LEVELS[errors]


def _simultaneous(pairs: Sequence[Pair], comparisons: int) -> list[ErrorLevel]:
    return [ErrorLevel(comparisons)] * len(pairs)


def _bonferroni(pairs: Sequence[Pair], comparisons: int) -> list[ErrorLevel]:
    return [ErrorLevel(alpha=ALPHA / max(comparisons, 1))] * len(pairs)


def _per_ratio(pairs: Sequence[Pair], comparisons: int) -> list[ErrorLevel]:
    return [ErrorLevel()] * len(pairs)


def _holm(pairs: Sequence[Pair], comparisons: int) -> list[ErrorLevel]:
    """Step down: what stands apart at alpha / (comparisons left) does so, and leaves one comparison less.

    Each pair's level is that of the step which decided on it, so that its interval excludes 1 exactly where Holm says
    that it differs. Source: Holm 1979, Scand. J. Stat. 6:65.
    """
    left, found = set(range(len(pairs))), [ErrorLevel()] * len(pairs)
    comparisons = max(comparisons, len(pairs), 1)
    while left:
        level = ErrorLevel(alpha=ALPHA / comparisons)
        for place in left:
            found[place] = level
        apart = {place for place in left if _excludes_1(pairs[place], level)}
        if not apart:
            break
        left, comparisons = left - apart, comparisons - len(apart)
    return found


def _excludes_1(pair: Pair, level: ErrorLevel) -> bool:
    ratio = told(pair, level)
    return ratio.low is not None and ratio.high is not None and not ratio.low <= 1 <= ratio.high


LEVELS: dict[str, Levels] = {
    SIMULTANEOUS: _simultaneous,
    HOLM: _holm,
    BONFERRONI: _bonferroni,
    PER_RATIO: _per_ratio,
}


def corrected(p: pd.Series, blocks: pd.Series, errors: str, comparisons: int) -> pd.Series:
    """p of two-sided t-tests of differences of so many `blocks`, adjusted as the intervals of their table are."""
    known = p.astype("float64")
    if errors == SIMULTANEOUS:
        return _dunnett(known, blocks.astype("float64"), comparisons)
    if errors == HOLM:
        return holm(known, comparisons)
    return (known * comparisons).clip(upper=1.0) if errors == BONFERRONI else known


def _dunnett(p: pd.Series, blocks: pd.Series, comparisons: int) -> pd.Series:
    t = scipy.stats.t.isf(p / 2, blocks - 1)
    found = [
        np.nan if np.isnan(one) else simultaneous_p(min(one, LARGEST_T), int(n), comparisons)
        for one, n in zip(t, blocks, strict=True)
    ]
    return pd.Series(found, index=p.index, dtype="float64")


def holm(p: pd.Series, comparisons: int = 0) -> pd.Series:
    """Adjusted, so that p <= alpha keeps the chance of any false positive at alpha.

    `comparisons`: so many were planned; 0: those whose p is known. Source: Holm 1979, Scand. J. Stat. 6:65.
    """
    known = p.dropna().astype("float64").sort_values(kind="stable")
    planned = max(comparisons, len(known))
    factors = pd.Series(range(planned, planned - len(known), -1), index=known.index, dtype="float64")
    return (known * factors).cummax().clip(upper=1.0).reindex(p.index).astype("float64")
