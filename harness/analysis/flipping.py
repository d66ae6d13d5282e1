"""Many differences in groups whose signs are changed together, so that it takes no longer for a million of them.

Where differences are independent and symmetric, so are the sums of groups of them: tests and intervals from changes of
signs keep what they promise, and lose nothing that could be seen with so many groups. Groups are of neighbours, which
may even resemble each other.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from harness.analysis.verdict import Flags, Floats

MOST_GROUPS = 256
CHUNK = 4096  # of changes of signs at a time
ROUNDING = 1e-12  # as a part of the sum


def in_groups(differences: Floats) -> tuple[Floats, Floats]:
    """Sum and number of each group; every difference by itself where there are few."""
    n = len(differences)
    if n <= MOST_GROUPS:
        return differences, np.ones(n)
    begins = np.linspace(0, n, MOST_GROUPS, endpoint=False).astype(np.int64)
    return np.add.reduceat(differences, begins), np.diff(begins, append=n).astype(np.float64)


def chance_of_sum(sums: Floats, resamples: int) -> float:
    """Two-sided p of their total over so many changes of signs, always the same ones, and the one that was seen."""
    total, above, below = sums.sum(), 0, 0
    slack = ROUNDING * np.abs(sums).sum()
    for begin in range(0, resamples, CHUNK):
        changed = total - 2 * (
            _flipped(resamples, len(sums))[begin : begin + CHUNK].astype(np.float64) @ sums
        )
        above += int((changed >= total - slack).sum())
        below += int((changed <= total + slack).sum())
    return min(1.0, 2 * (1 + min(above, below)) / (1 + resamples))


@lru_cache(maxsize=1)
def _flipped(resamples: int, groups: int) -> Flags:
    return np.random.default_rng(1).random((resamples, groups), dtype=np.float32) < np.float32(0.5)
