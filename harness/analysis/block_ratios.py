"""The ratio of each block by itself: what a ratio and its interval are made of. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from harness.analysis.groups import TREATMENT, Group
from harness.analysis.pairs import BlockLogs
from harness.analysis.plain_texts import records
from harness.analysis.quantity import Quantity
from harness.analysis.replicates import SINGLE

BLOCK_COLUMNS = [TREATMENT, "quantity", "place", "number", "ratio"]


def block_ratios(
    runs: pd.DataFrame, costs: pd.DataFrame, group: Group, quantities: Iterable[Quantity]
) -> pd.DataFrame:
    """BLOCK_COLUMNS: `place` is "block", or of a merged campaign "node" or "session", and `number` which one.

    `runs`: those that count, with rates; `costs`: COST_COLUMNS. A treatment whose ratio is not known has none, nor has
    the reference.
    """
    inside, asked = group.select(runs), {one.name: one for one in quantities}
    known = group.select(costs).dropna(subset=["ratio"])
    told = known[known["quantity"].isin(asked) & (known[TREATMENT] != known["reference"])]
    rows = {name: inside[inside[TREATMENT] == name] for name in {*told[TREATMENT], *told["reference"]}}
    logs = cache(lambda name, quantity: asked[quantity].logs(rows[name]))
    found = [each for row in records(told) for each in _rows(logs, row)]
    return pd.DataFrame(found, columns=BLOCK_COLUMNS)


def _rows(logs: Callable[[str, str], BlockLogs], row: dict[Any, Any]) -> Iterator[dict[str, Any]]:
    """`logs`: by treatment and quantity."""
    pair = logs(row[TREATMENT], row["quantity"]).over(logs(row["reference"], row["quantity"]))
    if pair is not None:
        for number, ratio in zip(pair.blocks, np.exp(pair.differences).tolist(), strict=True):
            yield {
                TREATMENT: row[TREATMENT],
                "quantity": row["quantity"],
                "place": SINGLE[pair.kind],
                "number": number,
                "ratio": ratio,
            }
