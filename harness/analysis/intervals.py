"""The mean of logarithms and its error, along the last axis: one campaign or thousands of simulated ones."""

from __future__ import annotations

import numpy as np

from harness.analysis.verdict import Floats

CONFIDENCE = 0.95


def mean_and_error(differences: Floats) -> tuple[Floats, Floats]:
    """Mean and standard error; the error of fewer than two values is nan."""
    n = differences.shape[-1]
    mean = differences.mean(axis=-1)
    if n < 2:
        return mean, np.full_like(mean, np.nan)
    return mean, differences.std(axis=-1, ddof=1) / np.sqrt(n)
