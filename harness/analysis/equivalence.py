"""Equivalence by two one-sided tests (TOST): the only way to say that nothing that matters differs (rule R36).

Source: Schuirmann 1987, J. Pharmacokinet. Biopharm. 15:657, on logarithms as for bioequivalence.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from harness.analysis.intervals import mean_and_error
from harness.analysis.verdict import MARGIN, Flags, Floats, log_margin

ALPHA = 0.05  # so that the 90 % interval must lie within the margin


def tost(differences: Floats, margin: float = MARGIN) -> Floats:
    """p of log differences between blocks, along the last axis: the larger of the two one-sided t-tests.

    The hypotheses that it refutes: the ratio is at most 1/(1 + margin); the ratio is at least 1 + margin.
    """
    edge, df = log_margin(margin), max(differences.shape[-1] - 1, 1)
    mean, error = mean_and_error(differences)
    with np.errstate(divide="ignore", invalid="ignore"):  # no spread: infinite t
        above, below = (mean + edge) / error, (edge - mean) / error
    return np.asarray(stats.t.sf(np.minimum(above, below), df), dtype=np.float64)


def equivalent(differences: Floats, margin: float = MARGIN, alpha: float = ALPHA) -> Flags:
    """Whether the ratio is shown to lie within the margin; False where nothing can be shown."""
    return np.asarray(tost(differences, margin) <= alpha)
