"""What each treatment costs, and the ratio to a reference: one row per group, treatment and quantity."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pandas as pd

from harness.analysis.cost_table import JUDGEMENT_COLUMNS, CostTable
from harness.analysis.groups import GROUP, TREATMENT, Group
from harness.analysis.judging import Judge, judge
from harness.analysis.quality import metric_of
from harness.analysis.quantities import costs_of
from harness.analysis.reference import Reference
from harness.inventory.tasks import OF_THIS_CHECKOUT, Tasks
from harness.records.planned import Work

COST_COLUMNS = [
    *GROUP, TREATMENT, "quantity", "mean", "n", "runs", "provenance", "reason", "best",
    "reference", "ratio", "low", "high", "blocks", "verdict", "margin", "ratio_reason", *JUDGEMENT_COLUMNS,
]  # fmt: skip


def costs(
    runs: pd.DataFrame,
    groups: tuple[Group, ...],
    reference: Reference,
    judging: Callable[[Work], Judge] | None = None,
    ranked: bool = True,
    tasks: Tasks = OF_THIS_CHECKOUT,
) -> pd.DataFrame:
    """COST_COLUMNS. `runs` are those that count, with rates; `judging`: of each work; None for simultaneous intervals.

    mean: as the quantity's row says; n of `runs` have a value. Null mean: see `reason`. Null low and
    high: see `ratio_reason`. `ranked`: whether to tell who may be the cheapest, which needs a number of blocks that
    was fixed beforehand.
    """
    alike = judge()
    rows = [
        row
        for group in groups
        for table in _tables(runs, group, tasks)
        for row in table.rows(reference.of(group), judging(group.work) if judging else alike, ranked)
    ]
    return pd.DataFrame(rows, columns=COST_COLUMNS).astype({"mean": "float64", "ratio": "float64"})


def _tables(runs: pd.DataFrame, group: Group, tasks: Tasks) -> Iterator[CostTable]:
    inside = group.select(runs)
    return CostTable.of_group(inside, group, costs_of(inside, metric_of(inside, tasks)))
