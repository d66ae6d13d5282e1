"""Each look its joules, so that all together are the run's; pure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.attribution.looks import StackLooks
from harness.attribution.powers import Intervals
from harness.energy.series import NS_PER_S, Floats

LEAST_S = 1.0  # stretches in which the joules given out are those that were read
LEAST_LOOKS = 20  # in each of them


@dataclass(frozen=True)
class Given:
    """Joules of each look [n], and of the time for which no look stands."""

    joules: Floats
    nobody_j: float


def give_out(intervals: Intervals, looks: StackLooks, powers: Floats) -> Given:
    """By their kinds' powers, and by the stretch of the run: a function may need more at its end."""
    stretch_of_look, stretch_of_interval, count = _stretches(intervals, looks)
    weights = looks.seconds * powers[looks.kind]
    seen_s = np.bincount(stretch_of_look, looks.seconds, count)
    all_s = np.bincount(stretch_of_interval, intervals.seconds, count)
    joules = np.bincount(stretch_of_interval, intervals.joules, count)
    seen_j = joules * np.minimum(1.0, np.divide(seen_s, all_s, out=np.zeros(count), where=all_s > 0))
    sums = np.bincount(stretch_of_look, weights, count)
    # Where all that was seen has no power of its own, by time alone.
    weights = np.where(sums[stretch_of_look] > 0, weights, looks.seconds)
    sums = np.bincount(stretch_of_look, weights, count)
    given = weights * np.divide(seen_j, sums, out=np.zeros(count), where=sums > 0)[stretch_of_look]
    return Given(given, float(joules.sum() - given.sum()))


def _stretches(intervals: Intervals, looks: StackLooks) -> tuple[np.ndarray, np.ndarray, int]:
    """The number of the stretch that each look and the middle of each interval lie in, and how many there are."""
    begin, end = intervals.borders_ns[0], intervals.borders_ns[-1]
    width_s = max(LEAST_S, LEAST_LOOKS * looks.usual_s, 2 * float(np.median(intervals.seconds)))
    count = max(1, int((end - begin) / NS_PER_S / width_s))
    borders = intervals.borders_ns[
        np.searchsorted(intervals.borders_ns, np.linspace(begin, end, count + 1)[1:-1])
    ]
    of_interval = np.searchsorted(borders, intervals.borders_ns[:-1], "right")
    return np.searchsorted(borders, looks.t_ns, "right"), of_interval, count
