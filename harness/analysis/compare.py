"""Effect first: ratios of geometric means with intervals from paired log differences within blocks (rule R31)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from harness.analysis.equivalence import equivalent
from harness.analysis.intervals import CONFIDENCE, log_t
from harness.analysis.verdict import MARGIN, Floats, Verdict, judge


@dataclass(frozen=True)
class Ratio:
    """Geometric mean of treatment / reference over blocks, with its interval (None below two blocks).

    `equivalent`: shown to lie within the margin, by TOST at 5 %.
    """

    ratio: float
    low: float | None
    high: float | None
    blocks: int
    margin: float = MARGIN
    equivalent: bool = False

    @property
    def verdict(self) -> Verdict:
        """For a quantity of which less is better."""
        low, high = (np.nan if one is None else np.log(one) for one in (self.low, self.high))
        return Verdict(judge(np.asarray(low), np.asarray(high), np.asarray(self.equivalent)).item())


def geometric_mean(values: pd.Series) -> float | None:
    """Of positive values; None without any."""
    known = values.dropna().astype(float)
    return float(np.exp(np.log(known).mean())) if len(known) and (known > 0).all() else None


def log_differences(treatment: pd.Series, reference: pd.Series) -> Floats | None:
    """log(treatment / reference) of the blocks with both values, in the blocks' order; both indexed by block.

    None without a common block, or where a value is not positive.
    """
    joined = pd.concat([treatment, reference], axis=1, join="inner").dropna().sort_index()
    values = joined.to_numpy(dtype=np.float64)
    if joined.empty or (values <= 0).any():
        return None
    return np.asarray(np.log(values[:, 0] / values[:, 1]))


def ratio_of(differences: Floats, confidence: float = CONFIDENCE, margin: float = MARGIN) -> Ratio:
    """From log differences, one a block."""
    mean, low, high = (float(np.exp(one)) for one in log_t(differences, confidence))
    n = len(differences)
    if n < 2:
        return Ratio(mean, None, None, n, margin)
    return Ratio(mean, low, high, n, margin, bool(equivalent(differences, margin)))


# How a ratio is told from log differences: ratio_of, but for adaptive campaigns.
Estimate = Callable[[Floats], Ratio]


def paired_ratio(treatment: pd.Series, reference: pd.Series, estimate: Estimate = ratio_of) -> Ratio | None:
    """Both indexed by block; only blocks with both values count. None without a common block."""
    differences = log_differences(treatment, reference)
    return None if differences is None else estimate(differences)


@dataclass(frozen=True)
class Comparison:
    """Two treatments in one quantity: the ratio, or the reason why there is none."""

    ratio: Ratio | None
    reason: str = ""


def compare(
    treatment: pd.DataFrame,
    reference: pd.DataFrame,
    quantity: str,
    is_energy: bool,
    estimate: Estimate = ratio_of,
) -> Comparison:
    """Both are frames of runs (RUN_COLUMNS); pairs them within blocks.

    Joules of different provenance or boundary are never compared (rule R40).
    """
    if is_energy and (reason := mixed(pd.concat([treatment, reference]))):
        return Comparison(None, reason)
    ratio = paired_ratio(by_block(treatment, quantity), by_block(reference, quantity), estimate)
    return Comparison(ratio, "" if ratio else "no block in which both have a positive value")


def mixed(runs: pd.DataFrame) -> str:
    """Why the joules of these runs must not meet; empty where they may."""
    for column in ("provenance", "energy_boundary"):
        found = sorted(set(runs[column].dropna()))
        if len(found) > 1:
            return f"{' and '.join(found)} energy are never compared"
    return ""


def by_block(runs: pd.DataFrame, quantity: str) -> pd.Series:
    """One value per block, indexed by block: the replicate is a run (rule R30), and a block holds one of each."""
    known = runs.dropna(subset=[quantity])
    values = known[quantity].astype("float64")
    logs = values.where(values > 0).transform(np.log)
    return logs.groupby(known["block"]).mean(skipna=False).transform(np.exp).rename(quantity)
