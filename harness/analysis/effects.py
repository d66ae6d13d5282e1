"""Effect sizes beside the ratio: how often one run of a treatment costs less than one of another (rule R33)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from harness.analysis.verdict import Floats

SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")
MAGNITUDES = ("negligible", "small", "medium", "large")
# The least A12 that is small, medium, large: there is no natural border, so each set has a name.
VARGHA_DELANEY = (0.56, 0.64, 0.71)  # Vargha and Delaney 2000, J. Educ. Behav. Stat. 25:101
ICSE22 = (0.60, 0.70, 0.80)  # as in "Green AI: Do Deep Learning Frameworks Have Different Costs?"
THRESHOLDS = {"vargha-delaney": VARGHA_DELANEY, "icse22": ICSE22}


def a12(treatment: Floats, reference: Floats) -> float | None:
    """P(treatment > reference) + P(equal) / 2, over all pairs of runs: 0.5 for no effect. None without values."""
    if not len(treatment) or not len(reference):
        return None
    ordered = np.sort(reference)
    below, up_to = (np.searchsorted(ordered, treatment, side) for side in SIDES)
    signs = int(below.sum()) - int((len(ordered) - up_to).sum())  # of all pairs, without making them
    return float((1 + signs / (len(treatment) * len(reference))) / 2)


def cliffs_delta(treatment: Floats, reference: Floats) -> float | None:
    """P(treatment > reference) - P(treatment < reference), from -1 to 1: the same as 2 A12 - 1."""
    share = a12(treatment, reference)
    return None if share is None else 2 * share - 1


def magnitude(share: float, thresholds: tuple[float, float, float] = VARGHA_DELANEY) -> str:
    """In words, of an A12 to either side."""
    return MAGNITUDES[int(np.searchsorted(thresholds, max(share, 1 - share) + 1e-12, side="right"))]
