"""The power of each kind of thing that was seen, out of a meter's intervals; pure.

A meter that updates faster than one looks (`near`): the interval around a look holds mostly what the look saw. Some of
it was something else, the more, the farther away from the look: on average a third of an interval, and a whole one
for the neighbouring intervals. A straight line through both, back to the look itself, leaves that out.

A slower meter (`mixed`): each interval holds several kinds, of which the looks tell the shares, so that its power is
the shares times the kinds' powers: least squares with powers of at least 0 (Lawson and Hanson 1974).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import nnls

from harness.attribution.looks import StackLooks
from harness.energy.series import NS_PER_S, Floats, Ints

FAST = 0.5  # of the time between looks, that a meter's update takes: then it is `near`
FAR, NEARBY = 1.0, 1 / 3  # intervals away, on average: neighbours of the look's own, and that one


@dataclass(frozen=True)
class Intervals:
    """Between a meter's updates [m + 1], in order: joules [m], those at rest not among them."""

    borders_ns: Ints
    joules: Floats

    @cached_property
    def seconds(self) -> Floats:
        return np.diff(self.borders_ns) / NS_PER_S

    @cached_property
    def power_w(self) -> Floats:
        return self.joules / self.seconds

    def is_faster_than(self, looks: StackLooks) -> bool:
        return float(np.median(self.seconds)) <= FAST * looks.usual_s


def powers_w(intervals: Intervals, looks: StackLooks) -> Floats:
    """[kinds]; 0 of what was never seen."""
    return near_w(intervals, looks) if intervals.is_faster_than(looks) else mixed_w(intervals, looks)


def near_w(intervals: Intervals, looks: StackLooks) -> Floats:
    own, beside = (around_w(intervals, looks, away) for away in (0, 1))
    powers = own + (own - beside) * NEARBY / (FAR - NEARBY)
    weights = np.where(_covered(intervals, looks), looks.seconds, 0.0)
    sums, seconds = looks.sums(powers * weights), looks.sums(weights)
    return np.maximum(np.divide(sums, seconds, out=np.zeros(looks.kinds), where=seconds > 0), 0.0)


def around_w(intervals: Intervals, looks: StackLooks, away: int) -> Floats:
    """The mean power so many intervals away from each look, to either side: [n]."""
    own, last = np.searchsorted(intervals.borders_ns, looks.t_ns, "right") - 1, len(intervals.joules) - 1
    before, after = (intervals.power_w[np.clip(own + way, 0, last)] for way in (-away, away))
    return np.asarray((before + after) / 2)


def _covered(intervals: Intervals, looks: StackLooks) -> np.ndarray:
    return np.asarray((looks.t_ns >= intervals.borders_ns[0]) & (looks.t_ns < intervals.borders_ns[-1]))


def mixed_w(intervals: Intervals, looks: StackLooks) -> Floats:
    """Each interval counts by its length: the variance of its power is by that much smaller."""
    weights = np.sqrt(intervals.seconds)
    shares = looks.shares(intervals.borders_ns)
    found, _ = nnls(shares * weights[:, None], intervals.power_w * weights)
    return np.asarray(found)
