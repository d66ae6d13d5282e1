"""Intervals and equivalence of thousands of simulated campaigns at once, along the last axis.

A second implementation of what harness.analysis.compare tells of one campaign; test_equivalence holds both together.
Source: Schuirmann 1987, J. Pharmacokinet. Biopharm. 15:657, on logarithms as for bioequivalence.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from harness.analysis.intervals import CONFIDENCE, mean_and_error
from harness.analysis.simultaneous import ALPHA
from harness.analysis.verdict import MARGIN, Flags, Floats, log_margin


def log_t(differences: Floats, confidence: float = CONFIDENCE) -> tuple[Floats, Floats, Floats]:
    """Mean, low and high of log differences between blocks."""
    mean, error = mean_and_error(differences)
    half = stats.t.ppf((1 + confidence) / 2, max(differences.shape[-1] - 1, 1)) * error
    return mean, mean - half, mean + half


def tost(differences: Floats, margin: float = MARGIN) -> Floats:
    """The larger p of the two one-sided t-tests."""
    edge, df = log_margin(margin), max(differences.shape[-1] - 1, 1)
    mean, error = mean_and_error(differences)
    with np.errstate(divide="ignore", invalid="ignore"):  # no spread: infinite t
        above, below = (mean + edge) / error, (edge - mean) / error
    return np.asarray(stats.t.sf(np.minimum(above, below), df), dtype=np.float64)


def equivalent(differences: Floats, margin: float = MARGIN, alpha: float = ALPHA) -> Flags:
    """Whether the ratio is shown to lie within the margin; False where nothing can be shown."""
    return np.asarray(tost(differences, margin) <= alpha)
