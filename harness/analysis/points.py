"""Each treatment in each setting of a family as a point: energy, time and quality, and which of them nothing beats."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from harness.analysis.compare import geometric_mean, mixed
from harness.analysis.families import Family
from harness.analysis.groups import TREATMENT
from harness.analysis.ratios import over_best
from harness.analysis.run_rows import metrics_of
from harness.analysis.tradeoffs import common_target, cost_to_target, pareto_front
from harness.records import MetricRecord
from suite.task import Direction

SETTING, FRONT = "setting", "front"
COSTS = ["energy_j", "duration_s"]
POINT_COLUMNS = [TREATMENT, SETTING, *COSTS, "quality", FRONT, *(f"{name}_over_best" for name in COSTS)]


class Target(NamedTuple):
    """The best `value` of a metric that every run reached, and the mean joules up to it by treatment and setting."""

    metric: MetricRecord
    value: float
    energy_j: dict[tuple[str, str], float | None]


def points(costs: pd.DataFrame, family: Family, direction: Direction = Direction.HIGHER) -> pd.DataFrame:
    """POINT_COLUMNS of COST_COLUMNS: the means of each treatment of each group, in the plan's order.

    `direction`: of the quality. front: which no other point beats in energy and quality; null where one of them is
    unknown.
    """
    parts = [_means(group.select(costs)).assign(setting=family.label(group)) for group in family.groups]
    means = pd.concat(parts, ignore_index=True)
    ratios = over_best(means[COSTS].T).T.add_suffix("_over_best")
    better = {"more": ["quality"]} if direction is Direction.HIGHER else {"less": ["quality"]}
    front = pareto_front(means, less=["energy_j", *better.get("less", [])], more=better.get("more", []))
    return means.join(ratios).assign(front=front)[POINT_COLUMNS]


def _means(costs: pd.DataFrame) -> pd.DataFrame:
    wide = costs.pivot(index=TREATMENT, columns="quantity", values="mean")
    return wide.reindex(list(dict.fromkeys(costs[TREATMENT])))[[*COSTS, "quality"]].reset_index()


def target(
    runs: pd.DataFrame, epochs: pd.DataFrame, family: Family, metric: MetricRecord | None
) -> Target | None:
    """What the same quality costs; None where the runs have no common metric, or no epochs, or mixed joules.

    `runs` are those that count, `epochs` EPOCH_COLUMNS. Joules of the training phases, geometric mean over runs.
    """
    inside = family.select(runs)
    if metric is None or metric.name not in metrics_of(epochs.columns) or mixed(inside):
        return None
    mine = epochs[epochs["run_id"].isin(inside["run_id"])]
    value = common_target(mine, metric.name, metric.direction)
    if value is None:
        return None
    reached = cost_to_target(mine, metric.name, value, metric.direction).set_index("run_id")["energy_j"]
    found = {
        (str(name), family.label(group)): geometric_mean(reached.reindex(part["run_id"]))
        for group in family.groups
        for name, part in group.select(inside).groupby(TREATMENT)
    }
    return Target(metric, value, found)
