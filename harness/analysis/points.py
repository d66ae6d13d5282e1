"""Each treatment in each setting of a family as a point: energy, time and quality, and which of them nothing beats."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from harness.analysis.compare import geometric_mean, mixed
from harness.analysis.families import Family
from harness.analysis.groups import TREATMENT
from harness.analysis.ratios import over_best
from harness.analysis.run_rows import METRICS
from harness.analysis.tradeoffs import common_target, cost_to_target, pareto_front

SETTING, FRONT = "setting", "front"
COSTS = ["energy_j", "duration_s"]
POINT_COLUMNS = [TREATMENT, SETTING, *COSTS, "quality", FRONT, *(f"{name}_over_best" for name in COSTS)]


class Target(NamedTuple):
    """The best `value` of `metric` that every run reached, and the mean joules up to it by treatment and setting."""

    metric: str
    value: float
    energy_j: dict[tuple[str, str], float | None]


def points(costs: pd.DataFrame, family: Family) -> pd.DataFrame:
    """POINT_COLUMNS of COST_COLUMNS: the means of each treatment of each group, in the plan's order.

    front: which no other point beats in energy and quality; null where one of them is unknown.
    """
    parts = [_means(group.select(costs)).assign(setting=family.label(group)) for group in family.groups]
    means = pd.concat(parts, ignore_index=True)
    ratios = over_best(means[COSTS].T).T.add_suffix("_over_best")
    front = pareto_front(means, less=["energy_j"], more=["quality"])
    return means.join(ratios).assign(front=front)[POINT_COLUMNS]


def _means(costs: pd.DataFrame) -> pd.DataFrame:
    wide = costs.pivot(index=TREATMENT, columns="quantity", values="mean")
    return wide.reindex(list(dict.fromkeys(costs[TREATMENT])))[[*COSTS, "quality"]].reset_index()


def target(runs: pd.DataFrame, epochs: pd.DataFrame, family: Family) -> Target | None:
    """What the same quality costs; None where the runs have no common metric, or no epochs, or mixed joules.

    `runs` are those that count, `epochs` EPOCH_COLUMNS. Joules of the training phases, geometric mean over runs.
    """
    inside = family.select(runs)
    metrics = set(inside["quality_metric"].dropna())
    if len(metrics) != 1 or not metrics <= set(METRICS) or mixed(inside):
        return None
    metric = str(metrics.pop())
    mine = epochs[epochs["run_id"].isin(inside["run_id"])]
    value = common_target(mine, metric)
    if value is None:
        return None
    reached = cost_to_target(mine, metric, value).set_index("run_id")["energy_j"]
    found = {
        (str(name), family.label(group)): geometric_mean(reached.reindex(part["run_id"]))
        for group in family.groups
        for name, part in group.select(inside).groupby(TREATMENT)
    }
    return Target(metric, value, found)
