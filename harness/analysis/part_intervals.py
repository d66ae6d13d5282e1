"""How sure the mean of each part of a run is: half the width of its 95 % interval.

Student's t over the blocks, of a merged campaign over its nodes or one machine's sessions, as ratios are told over
them (harness.analysis.replicates). Arithmetic, so that it belongs to means that add up; each interval by itself.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import scipy

from harness.analysis.groups import GROUP, TREATMENT
from harness.analysis.intervals import CONFIDENCE
from harness.analysis.parts import NUMBERS, part_sums, without_mixed
from harness.analysis.replicates import NODE, SESSION

WORK = [*GROUP, TREATMENT]
HALF_WIDTH_COLUMNS = [*WORK, "part", *NUMBERS]
ROUNDING = 1e-12  # of a mean: values that lie no further apart are alike


def half_widths(runs: pd.DataFrame, phases: pd.DataFrame, shared: Mapping[str, str] = {}) -> pd.DataFrame:
    """HALF_WIDTH_COLUMNS, in s and J, around the means of harness.analysis.parts; null where no interval is known.

    That is below two values, where all are alike, and of joules of several provenances. `runs` are those that count;
    `shared`: parts that are told together under another name, whose values are added up within each run. What
    measuring leaves unsure of a phase is not known, and in no width.
    """
    sums = part_sums(runs, phases)
    together = sums.assign(part=sums["part"].replace(dict(shared)))
    values = together.groupby(["run_id", "part"], sort=False)[NUMBERS].sum(skipna=False).reset_index()
    places = [name for name in (NODE, SESSION) if name in runs]
    joined = values.merge(runs[["run_id", "block", *places, *WORK]], on="run_id")
    return without_mixed(_half_widths(_replicates(joined, places)), runs)


def _replicates(values: pd.DataFrame, places: list[str]) -> pd.DataFrame:
    """Of each block its mean; of nodes or sessions the mean of their blocks, weighed as Replicates does."""
    levels = [*places, "block"]
    for depth in range(len(levels), 0, -1):
        values = values.groupby([*WORK, "part", *levels[:depth]], sort=False)[NUMBERS].mean().reset_index()
    return values


def _half_widths(values: pd.DataFrame) -> pd.DataFrame:
    grouped = values.groupby([*WORK, "part"], sort=False)[NUMBERS]
    n, mean, spread = grouped.count(), grouped.mean(), grouped.std(ddof=1)
    critical = scipy.stats.t.isf((1 - CONFIDENCE) / 2, (n - 1).where(n > 1))
    half: pd.DataFrame = critical * spread / np.sqrt(n)
    return half.where(spread > ROUNDING * mean.abs()).reset_index()[HALF_WIDTH_COLUMNS]
