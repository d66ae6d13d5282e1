"""What was seen when: looks at a stack, and the time that each stands for; pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from harness.energy.series import NS_PER_S, Floats, Ints

LONGEST = 2.0  # usual distances between two looks, over which what both saw is taken to have lasted
NEIGHBOURS = 2  # to either side, of which any look could as well have seen what this one saw


@dataclass(frozen=True)
class StackLooks:
    """Times in order [n]; of each the kind of what it saw, 0 to `kinds` - 1 [n]."""

    t_ns: Ints
    kind: Ints
    kinds: int

    @cached_property
    def usual_s(self) -> float:
        """From one look to the next."""
        return float(np.median(np.diff(self.t_ns))) / NS_PER_S if len(self.t_ns) > 1 else 0.0

    @cached_property
    def seconds(self) -> Floats:
        """[n] that each stands for: half of the time to its neighbours, but of no long gap more than of a usual one."""
        if not len(self.t_ns):
            return np.zeros(0)
        gaps = np.diff(self.t_ns) / NS_PER_S
        halves = np.minimum(gaps, LONGEST * self.usual_s) / 2
        ends = [self.usual_s / 2]
        return np.asarray(np.concatenate([ends, halves]) + np.concatenate([halves, ends]))

    @cached_property
    def seconds_of_kinds(self) -> Floats:
        """[kinds]."""
        return self.sums(self.seconds)

    def sums(self, values: Floats) -> Floats:
        """Of what is told of each look [n], over each kind: [kinds]."""
        return np.bincount(self.kind, values, self.kinds).astype(float)

    def parted(self, values: Floats, part: Ints, parts: int) -> Floats:
        """Of what is told of each look [n], and of the part that it lies in [n]: [parts, kinds]."""
        sums = np.bincount(part * self.kinds + self.kind, values, parts * self.kinds)
        return np.asarray(sums.astype(float).reshape(parts, self.kinds))

    def shares(self, borders_ns: Ints) -> Floats:
        """Of each interval [m] between borders [m + 1] the share of each kind: [m, kinds], of 1 where all was seen.

        Between two looks that saw different things it changed at some moment, each as likely as the others.
        """
        found = np.zeros((len(borders_ns) - 1, self.kinds))
        if len(self.t_ns) < 2:
            return found
        for kind in range(self.kinds):
            found[:, kind] = np.diff(self._lasted_s(self.kind == kind, borders_ns))
        return found / (np.diff(borders_ns) / NS_PER_S)[:, None]

    def _lasted_s(self, saw: np.ndarray, at_ns: Ints) -> Floats:
        """Seconds from the first look until each time in which that lasted."""
        gaps = np.diff(self.t_ns) / NS_PER_S
        filled = np.minimum(1.0, LONGEST * self.usual_s / np.maximum(gaps, 1e-12))
        height = saw.astype(float)
        until = np.concatenate([[0.0], np.cumsum(filled * gaps * (height[1:] + height[:-1]) / 2)])
        inside = np.clip(at_ns, self.t_ns[0], self.t_ns[-1])
        before = np.clip(np.searchsorted(self.t_ns, inside, "right") - 1, 0, max(0, len(gaps) - 1))
        since = (inside - self.t_ns[before]) / NS_PER_S
        slope = (height[before + 1] - height[before]) / np.maximum(gaps[before], 1e-12)
        return np.asarray(until[before] + filled[before] * (height[before] * since + slope * since**2 / 2))

    def between(self, begin_ns: int, end_ns: int) -> StackLooks:
        inside = (self.t_ns >= begin_ns) & (self.t_ns < end_ns)
        return replace(self, t_ns=self.t_ns[inside], kind=self.kind[inside])

    def redrawn(self, generator: np.random.Generator, also: Ints) -> tuple[StackLooks, Ints]:
        """As they might have been: each saw what it, or one of its neighbours, saw; `also` [n] goes with it."""
        count = len(self.t_ns)
        seen = np.arange(count) + generator.integers(-NEIGHBOURS, NEIGHBOURS + 1, count)
        of = np.clip(seen, 0, count - 1)
        return replace(self, kind=self.kind[of]), also[of]
