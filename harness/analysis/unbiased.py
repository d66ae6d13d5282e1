"""What an adaptive campaign's ratio is, once it has stopped: the plain mean at a stop lies too far from 1.

A campaign stops sooner where chance helps the difference. The median-unbiased ratio is the one under which as many
campaigns would have stopped with a smaller mean as with a larger one: of many campaigns, half are told too low. It is
found by playing the campaign again and again from the spread of its own differences, with fixed draws. Source of the
idea: Emerson and Fleming 1990, Biometrika 77:875 (ordering by the sample mean). Those campaigns alone that were told
better, or worse, remain a selection: no estimate makes good for looking at these only.
"""

from __future__ import annotations

from functools import lru_cache
from math import isfinite, sqrt

import numpy as np

from harness.analysis.sequential import Schedule, half_widths, means_and_errors, stopping
from harness.analysis.verdict import MARGIN, Floats, log_margin

PLAYS = 4000
SEED = 1
REACH = 8.0  # standard errors to both sides between which the ratio is looked for
HALVINGS = 30


def median_unbiased(
    mean: float, deviation: float, blocks: int, schedule: Schedule, margin: float = MARGIN
) -> float:
    """log of the ratio, of a campaign that has stopped after so many `blocks` with this `mean` of log differences.

    `deviation`: the standard deviation of one difference; all on logarithms.
    """
    if not isfinite(deviation) or deviation <= 0:
        return mean
    half = REACH * deviation / sqrt(blocks)
    low, high = mean - half, mean + half
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if float(np.median(_means_at_stop(middle, deviation, schedule, margin))) < mean:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _means_at_stop(truth: float, deviation: float, schedule: Schedule, margin: float) -> Floats:
    mean, both, single = _played(schedule)
    mean, both = truth + deviation * mean, deviation * both
    equivalent = np.abs(mean) + deviation * single <= log_margin(margin)
    stops = stopping(mean, both, equivalent, margin)
    stops[:, -1] = True
    return np.asarray(np.take_along_axis(mean, stops.argmax(-1)[:, None], axis=-1)[:, 0])


@lru_cache(maxsize=16)
def _played(schedule: Schedule) -> tuple[Floats, Floats, Floats]:
    """Means and half-widths at each look of campaigns without effect and of deviation 1."""
    noise = np.random.default_rng(SEED).normal(size=(PLAYS, schedule.looks[-1]))
    mean, error = means_and_errors(noise, schedule)
    return mean, half_widths(error, schedule, 2), half_widths(error, schedule, 1)
