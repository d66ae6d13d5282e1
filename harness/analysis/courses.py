"""What a treatment costs once and what each epoch adds: after how many epochs what is paid once has paid off (R24)."""

from __future__ import annotations

import math
from collections.abc import Hashable
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from harness.analysis.compare import mixed
from harness.analysis.groups import GROUP, TREATMENT
from harness.analysis.plain_texts import records

COSTS = ["energy_j", "duration_s"]
COURSE_COLUMNS = [
    *GROUP,
    TREATMENT,
    "n",
    "energy_j_once",
    "energy_j_per_epoch",
    "duration_s_once",
    "duration_s_per_epoch",
]
BREAK_EVEN_COLUMNS = [*GROUP, TREATMENT, "reference", "epochs", "reason", "until"]


class Course(NamedTuple):
    """A cost over epochs, J or s: what is paid once (start, compilation) and what each epoch adds."""

    once: float
    per_epoch: float


class BreakEven(NamedTuple):
    """Fewest epochs, at least 1, after which the treatment has cost less; None with the reason where that never is.

    `until`: the last of them, where that does not stay so.
    """

    epochs: int | None
    reason: str = ""
    until: int | None = None


def break_even(treatment: Course, reference: Course) -> BreakEven:
    """After how many epochs what is paid once has paid off, and for how long that holds (see the reason)."""
    extra, saved = treatment.once - reference.once, reference.per_epoch - treatment.per_epoch
    if not all(map(math.isfinite, (extra, saved))):
        return BreakEven(None, "a cost is unknown")
    if saved > 0:
        return BreakEven(max(1, math.floor(extra / saved) + 1))
    if extra - saved < 0:
        if not saved:
            return BreakEven(1, "costs less from the start")
        end = math.ceil(extra / saved)
        return BreakEven(1, f"costs less from the start, but no longer from epoch {end} on", end - 1)
    return BreakEven(None, "costs more at the start, and no less in each epoch")


def courses(runs: pd.DataFrame, phases: pd.DataFrame) -> pd.DataFrame:
    """COURSE_COLUMNS: arithmetic means over the runs (RUN_COLUMNS, with treatments) of at least two epochs.

    An epoch's cost is the mean of the epochs after the first, with their evaluation (PHASE_COLUMNS); what the whole
    run cost beyond that, compilation and the first epoch's surplus with it, is paid once. Joules of several
    provenances have no mean.
    """
    later = phases[phases["epoch"] > 1].groupby(["run_id", "epoch"])[COSTS].sum(skipna=False)
    joined = runs.merge(later.groupby("run_id").mean().add_suffix("_per_epoch"), on="run_id")
    for cost in COSTS:
        joined[f"{cost}_once"] = joined[cost] - joined["epochs"] * joined[f"{cost}_per_epoch"]
    numbers = COURSE_COLUMNS[len(GROUP) + 2 :]
    grouped = joined.groupby([*GROUP, TREATMENT], sort=False)
    means = grouped[numbers].mean().assign(n=grouped.size())
    refused = [key for key, group in grouped if mixed(group)] if mixed(joined) else []  # nor is a part, else
    means.loc[refused, [name for name in numbers if name.startswith("energy")]] = np.nan
    return means.reset_index()[COURSE_COLUMNS]


def break_evens(table: pd.DataFrame, cost: str = "energy_j") -> pd.DataFrame:
    """BREAK_EVEN_COLUMNS of COURSE_COLUMNS: each treatment against each other one of its group."""
    rows = [
        (*key, one[TREATMENT], other[TREATMENT], *break_even(_course(one, cost), _course(other, cost)))
        for key, group in table.groupby(GROUP, sort=False)
        for one, other in permutations(records(group), 2)
    ]
    return pd.DataFrame(rows, columns=BREAK_EVEN_COLUMNS).astype({"epochs": "Int64", "until": "Int64"})


def _course(row: dict[Hashable, Any], cost: str) -> Course:
    return Course(row[f"{cost}_once"], row[f"{cost}_per_epoch"])
