"""What the models learned: metrics per epoch and at the end, arithmetic means over runs."""

from __future__ import annotations

import pandas as pd

from harness.analysis.groups import GROUP, TREATMENT
from harness.analysis.run_rows import metrics_of
from harness.inventory.tasks import Tasks
from harness.records import MetricRecord

QUALITY_COLUMNS = [*GROUP, TREATMENT, "epoch", "metric", "n", "mean", "low", "high"]


def epoch_quality(runs: pd.DataFrame, epochs: pd.DataFrame) -> pd.DataFrame:
    """QUALITY_COLUMNS: one row per treatment, epoch and metric; low and high are the extreme runs."""
    return _means(epochs.dropna(subset=["epoch"]), runs)


def final_quality(runs: pd.DataFrame, epochs: pd.DataFrame) -> pd.DataFrame:
    """QUALITY_COLUMNS of each run's last metrics event, whatever its epoch (null here)."""
    return _means(epochs.groupby("run_id").tail(1).assign(epoch=-1), runs).assign(epoch=None)


def metric_of(runs: pd.DataFrame, tasks: Tasks) -> MetricRecord | None:
    """What the quality of these runs is; None where they tell none, or several."""
    told = runs[["workload", "quality_metric"]].dropna().drop_duplicates()
    if len(told) != 1:
        return None
    workload, name = map(str, told.iloc[0])
    return tasks.task(workload).metric(name)


def _means(epochs: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    long = _long(epochs).merge(runs[["run_id", *GROUP, TREATMENT]], on="run_id")
    grouped = long.groupby([*GROUP, TREATMENT, "epoch", "metric"], sort=False)["value"]
    means = grouped.agg(n="size", mean="mean", low="min", high="max").reset_index()
    return means[QUALITY_COLUMNS]


def _long(epochs: pd.DataFrame) -> pd.DataFrame:
    """A row for each value that was told: a metric may be called as any column is, `stage` or `value`."""
    epochs = epochs.reset_index(drop=True)
    values = pd.DataFrame({"value": epochs[metrics_of(epochs.columns)].unstack()}).dropna()
    long = values.rename_axis(["metric", "row"]).reset_index()
    return long.join(epochs[["run_id", "epoch"]], on="row")
