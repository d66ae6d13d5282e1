"""What a campaign could see, and how many blocks it would take to settle what it left open (rule R36).

A forecast of the paired log-t test of the headline (harness.analysis.power), from the spread that the campaign itself
found: with few blocks that is rough. It looks at no verdict but those that stand in the rows of costs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from harness.analysis.cost_table import CostTable
from harness.analysis.groups import GROUP, TREATMENT, Group
from harness.analysis.plain_texts import records
from harness.analysis.power import blocks_for_equivalence, blocks_needed, noise_of_a_run, smallest_effect
from harness.analysis.quantities import leads
from harness.analysis.replicates import BLOCKS
from harness.analysis.simultaneous import ALPHA
from harness.analysis.verdict import Verdict, log_margin
from harness.errors import UsageError

Key = tuple[str, ...]  # values of GROUP, treatment, quantity


class Need(NamedTuple):
    """Of an undecided ratio: so many blocks in all settle it in 80 % of campaigns, if it is what it looks like.

    `blocks` is None where that is more than anybody runs. `apart`: by showing a difference; else that there is none
    that matters.
    """

    blocks: int | None
    apart: bool


@dataclass(frozen=True)
class Outlook:
    """`noise`: of a single run, as a share of its cost, the median over the comparisons of a quantity.

    `smallest`: the difference that as many blocks find in 80 % of campaigns, as a share. Both are None by quantity
    where no two blocks tell. `needs`: by `key_of` of a row of costs.
    """

    noise: Mapping[str, float | None]
    smallest: Mapping[str, float | None]
    needs: Mapping[Key, Need]

    def need(self, row: Mapping[Any, Any]) -> Need | None:
        return self.needs.get(key_of(row))


def key_of(row: Mapping[Any, Any]) -> Key:
    return tuple(str(row[name]) for name in (*GROUP, TREATMENT, "quantity"))


def outlook(runs: pd.DataFrame, costs: pd.DataFrame, groups: Iterable[Group]) -> Outlook:
    """`runs`: those that count, with rates; `costs`: COST_COLUMNS of them, without the verdicts that are withheld."""
    names = [one.name for one in leads()]
    rows = costs[costs["quantity"].isin(names) & costs["ratio"].notna() & (costs["over"] == BLOCKS)]
    spreads = _spreads(runs, groups, rows)
    told = [(row, spreads[key_of(row)]) for row in records(rows) if key_of(row) in spreads]
    found = {name: [(row, sd) for row, sd in told if row["quantity"] == name] for name in names}
    return Outlook(
        {name: _median([noise_of_a_run(sd) for _, sd in several]) for name, several in found.items()},
        {name: _median([_smallest(row, sd) for row, sd in several]) for name, several in found.items()},
        {key_of(row): need(row, sd) for row, sd in told if row["verdict"] == Verdict.INCONCLUSIVE},
    )


def need(row: Mapping[Any, Any], spread: float) -> Need:
    """`row`: of COST_COLUMNS, inconclusive; `spread`: the standard deviation of its log differences, not 0."""
    apart = abs(float(np.log(row["ratio"]))) > log_margin(row["margin"])
    noise, alpha = noise_of_a_run(spread), ALPHA / row["family"]
    try:
        if apart:
            effect = -float(np.expm1(-abs(np.log(row["ratio"]))))
            found = blocks_needed(noise, effect, alpha=alpha)
        else:
            found = blocks_for_equivalence(noise, row["margin"], alpha=ALPHA)
        return Need(max(found, int(row["blocks"]) + 1), apart)  # so many have left it open
    except UsageError:
        return Need(None, apart)


def _smallest(row: Mapping[Any, Any], spread: float) -> float:
    return smallest_effect(noise_of_a_run(spread), int(row["blocks"]), alpha=ALPHA / row["family"]) or np.nan


def _spreads(runs: pd.DataFrame, groups: Iterable[Group], rows: pd.DataFrame) -> dict[Key, float]:
    """By the key of a row that is told over two blocks or more, and where these differ."""
    wanted = {key_of(row): row["reference"] for row in records(rows)}
    found: dict[Key, float] = {}
    for group in groups:
        for table in CostTable.of_group(runs, group, leads()):
            for name in group.treatments:
                key = (*group.key.values(), name, table.quantity.name)
                spread = table.spread(name, wanted[key]) if key in wanted else None
                found |= {key: spread} if spread else {}
    return found


def _median(values: Sequence[float]) -> float | None:
    known = [one for one in values if np.isfinite(one)]
    return float(np.median(known)) if known else None
