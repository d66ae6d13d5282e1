"""How much a cost differs between campaigns, each of which is one session.

All runs of a campaign have in common what the machine was like meanwhile, so they are no independent samples of it:
with 1 % from session to session, 10 blocks and Welch's test of runs, half of all verdicts are false. Two ways hold 5 %:

- relative: within each block, against what is unchanged in both campaigns; Welch's interval over these differences.
  It removes what a session does to all alike, and cannot remove what it does to one treatment alone.
- sessions: each campaign is one value, the mean of its blocks; Student's interval over the campaigns of both sides.
  It asks nothing of any yardstick, and at least two campaigns on each side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import pandas as pd
import scipy

from harness.analysis.compare import reach
from harness.analysis.intervals import CONFIDENCE
from harness.analysis.pairs import NO_SPREAD, block_logs
from harness.analysis.simultaneous import ALPHA
from harness.analysis.verdict import MARGIN, Floats, Verdict, judge, log_margin
from harness.findings.codes import Code

FEWEST_SESSIONS = 2  # of each side
ONE = "one session"
ONE_SESSION = (
    f"{Code.ONE_SESSION}: each campaign is one session, whose runs are not independent, and nothing unchanged was "
    "measured in both: give several campaigns of each side (--old-session, --new-session), or measure something "
    "unchanged in both"
)


@dataclass(frozen=True)
class Estimate:
    """Ratio of geometric means, new / old; no interval (null) where there is nothing to tell it from.

    `low` to `high` hold together with those of `family` ratios at 95 %; `replicates` of the smaller side: blocks, or
    sessions; `freedom`: degrees of it; `scatter`, `measured`: parts of the half-width, as in harness.analysis.compare.
    """

    ratio: float
    replicates: int
    method: str
    family: int = 1
    low: float | None = None
    high: float | None = None
    freedom: float | None = None
    equivalent: bool = False
    scatter: float | None = None
    measured: float | None = None

    @property
    def verdict(self) -> Verdict:
        low, high = (np.nan if one is None else np.log(one) for one in (self.low, self.high))
        return Verdict(judge(np.asarray(low), np.asarray(high), np.asarray(self.equivalent)).item())


def logs_by_block(runs: pd.DataFrame, quantity: str) -> pd.Series:
    """Of a treatment's runs in one campaign; none where a value is not positive."""
    found = block_logs(runs, quantity)
    logs = pd.Series(found.logs, pd.Index(found.blocks, name="block"), name=quantity)
    return logs.iloc[:0] if logs.isna().any() else logs


def over_sessions(
    new: Sequence[pd.Series],
    old: Sequence[pd.Series],
    family: int = 1,
    margin: float = MARGIN,
    measured: float | None = None,
) -> Estimate:
    """Each series: logs by block of one session. Student's: sessions of one machine vary alike on both sides.

    `measured`: the standard uncertainty that measuring leaves in the log of the ratio; None where unknown.
    """
    one, other = (np.array([each.mean() for each in side]) for side in (new, old))
    method = f"sessions: {len(one)} against {len(other)}"
    return _estimate(one, other, method, family, margin, measured, pooled=True)


def relative(
    new: Sequence[tuple[pd.Series, pd.Series]],
    old: Sequence[tuple[pd.Series, pd.Series]],
    to: str,
    family: int = 1,
    margin: float = MARGIN,
    measured: float | None = None,
) -> Estimate:
    """Each pair: logs by block of the treatment, and of what is unchanged (`to`, in words), in one session.

    `measured`: as for sessions.
    """
    one, other = (np.concatenate([_differences(*pair) for pair in side]) for side in (new, old))
    return _estimate(one, other, f"within blocks, relative to {to}", family, margin, measured, pooled=False)


def _differences(treatment: pd.Series, unchanged: pd.Series) -> Floats:
    """Of the blocks that have both."""
    return np.asarray((treatment - unchanged).dropna().to_numpy(dtype=np.float64))


def plain(new: Sequence[pd.Series], old: Sequence[pd.Series]) -> Estimate:
    """The ratio alone, of sessions that nothing makes comparable."""
    one, other = (np.concatenate([each.to_numpy(dtype=np.float64) for each in side]) for side in (new, old))
    return Estimate(float(np.exp(one.mean() - other.mean())), min(len(one), len(other)), ONE)


def _estimate(
    one: Floats,
    other: Floats,
    method: str,
    family: int,
    margin: float,
    measured: float | None,
    *,
    pooled: bool,
) -> Estimate:
    """Welch 1947, Biometrika 34:28, or Student's with a common variance; Bonferroni over the family.

    Equivalence by two one-sided tests, whose interval lies within the margin (Schuirmann 1987).
    """
    mean, n = float(one.mean() - other.mean()), min(len(one), len(other))
    if n < 2 or max(np.ptp(one), np.ptp(other)) <= NO_SPREAD:
        return Estimate(float(np.exp(mean)), n, method, family)
    error, freedom = _pooled(one, other) if pooled else welch(one, other)
    both, single = (
        reach(error, float(scipy.stats.t.isf(tail / family, freedom)), freedom, measured)
        for tail in ((1 - CONFIDENCE) / 2, ALPHA)
    )
    low, high = float(np.exp(mean - both.total)), float(np.exp(mean + both.total))
    equivalent = abs(mean) + single.total <= log_margin(margin)
    ratio = float(np.exp(mean))
    return Estimate(ratio, n, method, family, low, high, freedom, equivalent, both.scatter, both.measured)


def welch(one: Floats, other: Floats) -> tuple[float, float]:
    """Standard error and degrees of freedom (Satterthwaite's); of values that do not vary at all, the fewest."""
    parts = [float(values.var(ddof=1)) / len(values) for values in (one, other)]
    spread = sum(part**2 / (len(side) - 1) for part, side in zip(parts, (one, other), strict=True))
    fewest = float(min(len(one), len(other)) - 1)
    return sqrt(sum(parts)), sum(parts) ** 2 / spread if spread else fewest


def _pooled(one: Floats, other: Floats) -> tuple[float, float]:
    freedom = len(one) + len(other) - 2
    squares = sum(float(((values - values.mean()) ** 2).sum()) for values in (one, other))
    return sqrt(squares / freedom * (1 / len(one) + 1 / len(other))), float(freedom)
