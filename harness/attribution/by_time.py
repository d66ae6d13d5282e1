"""Joules of an interval shared by time, where nothing tells more than how long each thing took in it; pure.

The clock is taken to be shared as the times are: of things side by side each has its share of the moment. How much they
needed is not known, but it lies between what the meter read in as many seconds of least power, and of most.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.attribution.powers import Intervals
from harness.energy.series import Floats


@dataclass(frozen=True)
class TimeShares:
    """Joules of things [n], with the least and the most that they can have been; of what was at rest, and of nothing.

    joules.sum() + idle_j + nothing_j is all that was read.
    """

    joules: Floats
    least_j: Floats
    most_j: Floats
    idle_j: float
    nothing_j: float

    @property
    def total_j(self) -> float:
        return float(self.joules.sum()) + self.idle_j + self.nothing_j


def share_by_time(
    read: Intervals, seconds: Floats, covered_s: float, *, idle_w: float = 0.0, meter_share: float = 0.0
) -> TimeShares:
    """`seconds` [n] of each, on any threads; in `covered_s` of the clock something was under way.

    `meter_share`: the half-width of what was read, over that: what the meter itself leaves unsure.
    """
    total_j, whole_s = float(read.joules.sum()), float(read.seconds.sum())
    idle_j = min(idle_w * whole_s, total_j)
    active_j, covered_s = total_j - idle_j, min(covered_s, whole_s)
    all_s = float(seconds.sum())
    # Shares first, none of which is above 1: rates of the shortest time there is are infinite.
    clock_s = (seconds / all_s if all_s > 0 else np.zeros(len(seconds))) * covered_s
    joules = (clock_s / whole_s if whole_s > 0 else np.zeros(len(seconds))) * active_j
    idle_w = idle_j / whole_s if whole_s > 0 else 0.0
    least_j, most_j = (_extreme_j(read, clock_s, idle_w, most) for most in (False, True))
    return TimeShares(
        joules=joules,
        least_j=np.maximum(least_j, 0.0) * (1 - meter_share),
        most_j=most_j * (1 + meter_share),
        idle_j=idle_j,
        nothing_j=active_j - float(joules.sum()),
    )


def _extreme_j(read: Intervals, clock_s: Floats, idle_w: float, most: bool) -> Floats:
    """[n] over what is at rest, of so many seconds of least power, or of most; those of the mean lie between both."""
    order = np.argsort(-read.power_w if most else read.power_w, kind="stable")
    active = (read.power_w[order] - idle_w) * read.seconds[order]
    until_s = np.concatenate([[0.0], np.cumsum(read.seconds[order])])
    return np.asarray(np.interp(clock_s, until_s, np.concatenate([[0.0], np.cumsum(active)])))
