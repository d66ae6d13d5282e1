"""How long the runs to come will take, with an interval; pure.

A treatment's mean is known from k runs; n runs to come scatter around it, with the relative spread that all
treatments share. Their sum then errs with variance (n + n^2 / k) (spread x mean)^2, added up over the treatments;
Student's quantile makes it the prediction interval for a sum of normal variables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

import scipy

COVERAGE = 0.95

Took = Mapping[str, Sequence[float]]  # seconds of each run so far, by treatment


@dataclass(frozen=True)
class Eta:
    """Expected seconds; the interval (95 %) is None until the spread is known."""

    seconds: float
    low_s: float | None = None
    high_s: float | None = None

    def after(self, spent_s: float) -> Eta:
        """The same forecast so many seconds later."""
        if self.low_s is None or self.high_s is None:
            return Eta(max(0.0, self.seconds - spent_s))
        return Eta(*(max(0.0, one - spent_s) for one in (self.seconds, self.low_s, self.high_s)))


def forecast(to_come: Mapping[str, int], took_s: Took, otherwise_s: float) -> Eta:
    """Of so many runs of each treatment; `otherwise_s` is expected of a treatment that has not run yet.

    The interval needs a run of every treatment to come, and a second run of any.
    """
    if not to_come:
        return Eta(0.0, 0.0, 0.0)
    means = {name: fmean(times) for name, times in took_s.items()}
    seconds = sum(count * means.get(name, otherwise_s) for name, count in to_come.items())
    if (spread := _spread(took_s, means)) is None or not means.keys() >= to_come.keys():
        return Eta(seconds)
    variances = ((n + n * n / len(took_s[name])) * means[name] ** 2 for name, n in to_come.items())
    half_s = spread * sqrt(sum(variances))
    return Eta(seconds, max(0.0, seconds - half_s), seconds + half_s)


def _spread(took_s: Took, means: Mapping[str, float]) -> float | None:
    """Half the width of the interval of one run whose mean is known, relative to that mean."""
    degrees = sum(len(times) - 1 for times in took_s.values())
    if degrees < 1:
        return None
    squares = sum((s / means[name] - 1) ** 2 for name, times in took_s.items() for s in times if means[name])
    return float(scipy.special.stdtrit(degrees, (1 + COVERAGE) / 2)) * sqrt(squares / degrees)
