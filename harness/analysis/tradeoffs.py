"""Energy, time and quality against each other: what a target costs, and the Pareto front."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from suite.task import Direction

TARGET_COLUMNS = ["run_id", "epoch", "energy_j", "duration_s", "reason"]


def cost_to_target(
    epochs: pd.DataFrame, metric: str, target: float, direction: Direction = Direction.HIGHER
) -> pd.DataFrame:
    """TARGET_COLUMNS, one row a run: the first epoch whose metric is at the target, and the costs up to its end.

    `epochs`: EPOCH_COLUMNS. Training phases alone are summed; an unknown addend makes an unknown sum. Never reached:
    nulls with the reason, for the cost is then unknown and at least that of all epochs.
    """
    known = epochs.dropna(subset=["epoch"]).sort_values("epoch", kind="stable")
    reached = known[metric] >= target if direction is Direction.HIGHER else known[metric] <= target
    first = known["epoch"].where(reached).groupby(known["run_id"]).min()
    until = known[known["epoch"] <= known["run_id"].map(first)].groupby("run_id")
    counts = known.groupby("run_id").size()
    never = [f"{metric} {target:g} was never reached in {count} epochs" for count in counts]
    found = until[["energy_j", "duration_s"]].sum(skipna=False).reindex(counts.index)
    found = found.assign(epoch=first, reason=np.where(first.isna(), never, ""))
    return found.reset_index()[TARGET_COLUMNS]


def pareto_front(frame: pd.DataFrame, less: Sequence[str], more: Sequence[str] = ()) -> pd.Series:
    """Which rows no other row beats: none is as good in every column and better in one. Null where a value is unknown.

    `less`: columns of which less is better (energy, time); `more`: of which more is (accuracy).
    """
    costs = pd.concat([frame[list(less)], -frame[list(more)]], axis=1).astype("float64")
    known = costs.dropna()
    values = known.to_numpy()
    as_good = (values[:, None, :] <= values[None, :, :]).all(axis=2)
    better = (values[:, None, :] < values[None, :, :]).any(axis=2)
    front = pd.Series(~(as_good & better).any(axis=0), index=known.index, dtype="boolean")
    return front.reindex(frame.index)


def common_target(epochs: pd.DataFrame, metric: str, direction: Direction = Direction.HIGHER) -> float | None:
    """The best value of `metric` that every run reached; None where a run has none."""
    values = epochs.dropna(subset=["epoch"]).groupby("run_id")[metric]
    best = values.max() if direction is Direction.HIGHER else values.min()
    if best.empty or best.isna().any():
        return None
    return float(best.min() if direction is Direction.HIGHER else best.max())
