"""What each epoch of training costs, the first one apart: it holds what is paid once."""

from __future__ import annotations

import numpy as np
import pandas as pd

from harness.analysis.compare import mixed
from harness.analysis.groups import GROUP, TREATMENT

COSTS = ["energy_j", "duration_s"]
EPOCH_COST_COLUMNS = [*GROUP, TREATMENT, "epoch", "n", *COSTS]
FIRST, LATER = "first epoch", "each later epoch"
FIRST_LATER_COLUMNS = [*GROUP, TREATMENT, "part", "n", *COSTS]


def epoch_costs(runs: pd.DataFrame, phases: pd.DataFrame) -> pd.DataFrame:
    """EPOCH_COST_COLUMNS: arithmetic means over runs of each epoch's training phase, without its evaluation.

    `runs` are those that count, with treatments; `phases` PHASE_COLUMNS. Joules of several provenances have no mean.
    """
    return _means(_trained(runs, phases), "epoch", runs)[EPOCH_COST_COLUMNS]


def first_and_later(runs: pd.DataFrame, phases: pd.DataFrame) -> pd.DataFrame:
    """FIRST_LATER_COLUMNS: of the first epoch, and of one of the epochs after it (their mean), arithmetic over runs."""
    epochs = _trained(runs, phases)
    parts = epochs.assign(part=np.where(epochs["epoch"] == 1, FIRST, LATER))
    keys = ["run_id", *GROUP, TREATMENT, "part"]
    per_run = parts.groupby(keys, sort=False)[COSTS].mean(skipna=False).reset_index()
    return _means(per_run, "part", runs)[FIRST_LATER_COLUMNS]


def _trained(runs: pd.DataFrame, phases: pd.DataFrame) -> pd.DataFrame:
    train = phases[(phases["phase"] == "train") & phases["epoch"].notna()]
    return train[["run_id", "epoch", *COSTS]].merge(runs[["run_id", *GROUP, TREATMENT]], on="run_id")


def _means(rows: pd.DataFrame, by: str, runs: pd.DataFrame) -> pd.DataFrame:
    grouped = rows.groupby([*GROUP, TREATMENT, by], sort=False)
    means = grouped[COSTS].mean(skipna=False).assign(n=grouped.size()).reset_index()
    if not mixed(runs):  # nor is a part of them
        return means
    bad = [key for key, group in runs.groupby([*GROUP, TREATMENT]) if mixed(group)]
    keys = pd.MultiIndex.from_frame(means[[*GROUP, TREATMENT]])
    return means.assign(energy_j=means["energy_j"].mask(keys.isin(bad)))
