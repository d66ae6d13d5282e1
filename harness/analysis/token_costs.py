"""What tokens cost each treatment, by itself: means of the registry's rows of a stage's parts, with intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from harness.analysis.compare import mixed, told
from harness.analysis.groups import GROUP, TREATMENT, Group
from harness.analysis.quantities import SERVING
from harness.analysis.quantity import Mean, Quantity

TOKEN_COLUMNS = [*GROUP, TREATMENT, "quantity", "mean", "low", "high", "n", "reason"]


def token_costs(
    runs: pd.DataFrame, groups: tuple[Group, ...], quantities: Sequence[Quantity] = SERVING
) -> pd.DataFrame:
    """TOKEN_COLUMNS; `runs` are those that count, with rates; the stages of `groups` have these quantities.

    mean: geometric, of n blocks; arithmetic, and without an interval, where the quantity's is. low, high: 95 %, log-t
    over the blocks with what measuring leaves unsure, of one treatment on this machine; null where that is not known.
    Joules of several kinds have no mean (rule R40).
    """
    rows = [
        {**group.key, TREATMENT: name, **row}
        for group in groups
        for name in group.treatments
        for row in _rows(group.select(runs), name, quantities)
    ]
    numbers = dict.fromkeys(("mean", "low", "high"), "float64")
    return pd.DataFrame(rows, columns=TOKEN_COLUMNS).astype(numbers)


def _rows(inside: pd.DataFrame, name: str, quantities: Sequence[Quantity]) -> Iterator[dict[str, Any]]:
    mine = inside[inside[TREATMENT] == name]
    for one in quantities:
        yield {"quantity": one.name, "n": 0, "reason": "", **_mean(one, mine)}


def _mean(quantity: Quantity, runs: pd.DataFrame) -> dict[str, Any]:
    """A treatment's own logarithms, as if against 1."""
    if refused := "no run counts" if runs.empty else mixed(runs) if quantity.energy else "":
        return {"reason": refused}
    if quantity.name not in runs or runs[quantity.name].isna().all():
        return {"reason": "not recorded"}
    if quantity.mean is Mean.ARITHMETIC:  # of shares, which may be 0, and of what is set and not measured
        by_block = runs.groupby("block")[quantity.name].mean().dropna()
        return {"mean": float(by_block.mean()), "n": len(by_block)}
    alone = quantity.logs(runs).alone
    if alone is None:
        return {"reason": "a value is not positive"}
    found = told(alone)
    return {"mean": found.ratio, "low": found.low, "high": found.high, "n": found.blocks}
