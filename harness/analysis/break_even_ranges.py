"""How sure a break-even is: the epochs between which nobody has shown who has cost less.

For each number of epochs the interval of what one costs beyond the other, paired within blocks; where it no longer
holds 0 bounds the range, as Fieller (1954) bounds a ratio of means.
"""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy.stats

from harness.analysis.compare import mixed
from harness.analysis.groups import GROUP, TREATMENT
from harness.analysis.intervals import CONFIDENCE

Floats = npt.NDArray[np.float64]
MOST = 10_000  # epochs looked at; what is not shown within them is shown by nobody's training
RANGE_COLUMNS = [*GROUP, TREATMENT, "reference", "low", "high"]


class Range(NamedTuple):
    """Fewest epochs at which the treatment is not shown to have cost more, and at which it is shown to have cost less.

    None where that is so after no number of epochs.
    """

    low: int | None
    high: int | None


def range_of(once: Floats, per_epoch: Floats) -> Range | None:
    """Of what a treatment costs beyond its reference in each block, J or s: once, and with each epoch.

    None of fewer than two blocks, or where a cost is unknown.
    """
    blocks = len(once)
    if blocks < 2 or not np.isfinite([once, per_epoch]).all():
        return None
    epochs = np.arange(1, MOST + 1, dtype=np.float64)
    (of_once, of_both), (_, of_epochs) = np.cov(once, per_epoch)
    variance = np.maximum(of_once + 2 * epochs * of_both + epochs**2 * of_epochs, 0) / blocks
    half = scipy.stats.t.isf((1 - CONFIDENCE) / 2, blocks - 1) * np.sqrt(variance)
    extra = once.mean() + epochs * per_epoch.mean()
    return Range(_first(extra - half <= 0), _first(extra + half < 0))


def _first(holds: npt.NDArray[np.bool_]) -> int | None:
    return int(holds.argmax()) + 1 if holds.any() else None


def break_even_ranges(costs: pd.DataFrame, cost: str = "energy_j") -> pd.DataFrame:
    """RANGE_COLUMNS of RUN_COURSE_COLUMNS: each treatment against each other one of its group, where there is a range.

    Joules of several provenances have none.
    """
    rows = [
        (*key, one, other, *found)
        for key, group in costs.groupby(GROUP, sort=False)
        for one, other in permutations(dict.fromkeys(group[TREATMENT]), 2)
        if (found := _range(group[group[TREATMENT].isin((one, other))], one, cost))
    ]
    return pd.DataFrame(rows, columns=RANGE_COLUMNS).astype({"low": "Int64", "high": "Int64"})


def _range(both: pd.DataFrame, one: str, cost: str) -> Range | None:
    if cost.startswith("energy") and mixed(both):
        return None
    names = [f"{cost}_once", f"{cost}_per_epoch"]
    mine = both[TREATMENT] == one
    of_one, of_other = (part.groupby("block")[names].mean() for part in (both[mine], both[~mine]))
    beyond = of_one.sub(of_other).loc[of_one.index.intersection(of_other.index)]
    return range_of(*beyond.to_numpy(float).T)
