"""Effect first: ratios of geometric means with intervals from paired log differences within blocks (rule R31)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Ratio:
    """Geometric mean of treatment / reference over blocks, with its interval (None below two blocks)."""

    ratio: float
    low: float | None
    high: float | None
    blocks: int

    @property
    def verdict(self) -> str:
        """In words, for a quantity of which less is better."""
        if self.low is None or self.high is None:
            return "inconclusive"
        if self.high < 1:
            return "better"
        return "worse" if self.low > 1 else "inconclusive"


def geometric_mean(values: pd.Series) -> float | None:
    """Of positive values; None without any."""
    known = values.dropna().astype(float)
    return float(np.exp(np.log(known).mean())) if len(known) and (known > 0).all() else None


def paired_ratio(treatment: pd.Series, reference: pd.Series, confidence: float = CONFIDENCE) -> Ratio | None:
    """Both indexed by block; only blocks with both values count. None without a common block.

    Log-t interval: exact for log-normal noise, where a percentile bootstrap covers 88 % at n = 5 (rule R31).
    """
    joined = pd.concat([treatment, reference], axis=1, join="inner").dropna()
    values = joined.to_numpy(dtype=np.float64)
    if joined.empty or (values <= 0).any():
        return None
    differences = np.log(values[:, 0] / values[:, 1])
    mean, n = float(differences.mean()), len(differences)
    if n < 2:
        return Ratio(float(np.exp(mean)), None, None, n)
    half = float(stats.t.ppf((1 + confidence) / 2, n - 1) * differences.std(ddof=1) / np.sqrt(n))
    return Ratio(float(np.exp(mean)), float(np.exp(mean - half)), float(np.exp(mean + half)), n)


@dataclass(frozen=True)
class Comparison:
    """Two treatments in one quantity: the ratio, or the reason why there is none."""

    ratio: Ratio | None
    reason: str = ""


def compare(treatment: pd.DataFrame, reference: pd.DataFrame, quantity: str, is_energy: bool) -> Comparison:
    """Both are frames of runs (RUN_COLUMNS); pairs them within blocks.

    Joules of different provenance or boundary are never compared (rule R40).
    """
    if is_energy and (reason := mixed(pd.concat([treatment, reference]))):
        return Comparison(None, reason)
    ratio = paired_ratio(by_block(treatment, quantity), by_block(reference, quantity))
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
    return runs.dropna(subset=[quantity]).groupby("block")[quantity].agg(geometric_mean).rename(quantity)
