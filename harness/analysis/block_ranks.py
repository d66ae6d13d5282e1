"""All treatments of a table at once, by their ranks within blocks: whether any differ, and which (rule R33)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from harness.analysis.compare import mixed
from harness.analysis.groups import TREATMENT, Group
from harness.analysis.pairs import by_block
from harness.analysis.quantity import Quantity
from harness.analysis.ranks import (
    LEAST_TREATMENTS,
    CriticalDifference,
    critical_difference,
    friedman,
    nemenyi,
)
from harness.analysis.significance import TestResult


@dataclass(frozen=True)
class BlockRanks:
    """One quantity of a group over its complete blocks. `pairs`: (one, other, p), corrected for all pairs (Nemenyi)."""

    group: Group
    quantity: str
    blocks: int
    friedman: TestResult
    critical: CriticalDifference
    pairs: pd.DataFrame


def block_ranks(runs: pd.DataFrame, groups: tuple[Group, ...], quantity: Quantity) -> Iterator[BlockRanks]:
    """Of every group with three treatments and two complete blocks. `runs` are those that count, with rates."""
    for group in groups:
        inside = group.select(runs)
        if len(group.treatments) < LEAST_TREATMENTS or (quantity.energy and mixed(inside)):
            continue
        table = _by_block(inside, group, quantity.name).dropna()
        if len(table) >= 2 and table.shape[1] >= LEAST_TREATMENTS:
            found = friedman(table), critical_difference(table), nemenyi(table)
            yield BlockRanks(group, quantity.name, len(table), *found)


def _by_block(runs: pd.DataFrame, group: Group, quantity: str) -> pd.DataFrame:
    """Rows are blocks, columns the treatments of which some run counts."""
    columns = {name: by_block(runs[runs[TREATMENT] == name], quantity) for name in group.treatments}
    return pd.DataFrame({name: one for name, one in columns.items() if len(one)})
