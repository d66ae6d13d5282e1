"""The t interval of a mean of logarithms, along the last axis: one campaign or thousands of simulated ones."""

from __future__ import annotations

import numpy as np
from scipy import stats

from harness.analysis.verdict import Floats

CONFIDENCE = 0.95


def mean_and_error(differences: Floats) -> tuple[Floats, Floats]:
    """Mean and standard error; the error of fewer than two values is nan."""
    n = differences.shape[-1]
    mean = differences.mean(axis=-1)
    if n < 2:
        return mean, np.full_like(mean, np.nan)
    return mean, differences.std(axis=-1, ddof=1) / np.sqrt(n)


def log_t(differences: Floats, confidence: float = CONFIDENCE) -> tuple[Floats, Floats, Floats]:
    """Mean, low and high of log differences between blocks (rule R31).

    Exact for log-normal noise at any n >= 2; a percentile bootstrap of them covers 85 % at n = 5.
    """
    mean, error = mean_and_error(differences)
    half = stats.t.ppf((1 + confidence) / 2, max(differences.shape[-1] - 1, 1)) * error
    return mean, mean - half, mean + half
