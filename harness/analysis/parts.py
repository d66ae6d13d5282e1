"""Where a run's joules and seconds go: phases summed within each run, then averaged over the runs."""

from __future__ import annotations

import pandas as pd

from harness.analysis.compare import mixed
from harness.analysis.groups import GROUP, TREATMENT

FIRST_EPOCH, LATER_EPOCHS = "train, first epoch", "train, later epochs"
STARTUP, OTHER = "startup", "other"
ORDER = [
    STARTUP, "import", "load", "build", "compile", FIRST_EPOCH, LATER_EPOCHS, "evaluate", "infer", "teardown", OTHER,
]  # fmt: skip
PART_COLUMNS = [*GROUP, TREATMENT, "part", "n", "duration_s", "energy_j"]
NUMBERS = ["duration_s", "energy_j"]


def part_costs(runs: pd.DataFrame, phases: pd.DataFrame) -> pd.DataFrame:
    """PART_COLUMNS: arithmetic means per run, so that the parts add up to the mean of the whole runs.

    Epochs are summed, the first one apart. `other` is what lies in the measured window outside every phase;
    `startup` lies before that window. A sum with an unknown addend is unknown, never less.
    """
    joined = part_sums(runs, phases).merge(runs[["run_id", *GROUP, TREATMENT]], on="run_id")
    grouped = joined.groupby([*GROUP, TREATMENT, "part"], sort=False)
    means = grouped[NUMBERS].mean().assign(n=grouped.size()).reset_index()
    return _sorted(without_mixed(means, runs))[PART_COLUMNS]


def part_sums(runs: pd.DataFrame, phases: pd.DataFrame) -> pd.DataFrame:
    """run_id, part and NUMBERS: each run's own parts, `other` among them."""
    named = phases.assign(part=[_part(*key) for key in zip(phases["phase"], phases["epoch"], strict=True)])
    sums = named.groupby(["run_id", "part"])[NUMBERS].sum(skipna=False).reset_index()
    return pd.concat([sums, _others(runs, sums)], ignore_index=True)


def _part(phase: str, epoch: float | None) -> str:
    if phase != "train" or epoch is None or pd.isna(epoch):
        return phase
    return FIRST_EPOCH if epoch == 1 else LATER_EPOCHS


def _others(runs: pd.DataFrame, sums: pd.DataFrame) -> pd.DataFrame:
    inside = sums[sums["part"] != STARTUP].groupby("run_id")[NUMBERS].sum(skipna=False)
    whole = runs.set_index("run_id")[NUMBERS]
    rest = whole - inside.reindex(whole.index)
    return rest.reset_index().assign(part=OTHER)


def without_mixed(means: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Joules of a treatment whose runs are of several provenances have no mean."""
    bad = [key for key, group in runs.groupby([*GROUP, TREATMENT]) if mixed(group)]
    keys = pd.MultiIndex.from_frame(means[[*GROUP, TREATMENT]])
    return means.assign(energy_j=means["energy_j"].mask(keys.isin(bad)))


def _sorted(means: pd.DataFrame) -> pd.DataFrame:
    """In the order in which the phases happen; stages of other names come where `infer` does."""
    place = {name: index for index, name in enumerate(ORDER)}
    rank = means["part"].map(place).fillna(place["infer"] + 0.5)
    return means.assign(rank=rank).sort_values("rank", kind="stable").drop(columns="rank")
