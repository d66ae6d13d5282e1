"""What both sides of a ratio cost, in numbers beside it."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from harness.analysis.compare import geometric_mean
from harness.analysis.gating import Side
from harness.analysis.groups import GROUP, TREATMENT
from harness.analysis.quantities import named

SEEN_APART = 0.005  # of a ratio: by more than its digits are rounded
QUOTIENTS = "costs are means of all runs that count; a ratio is of its own blocks alone, no quotient of costs"
KEY = [*GROUP, TREATMENT, "quantity"]


def with_costs(rows: pd.DataFrame, new: Sequence[Side], old: Sequence[Side]) -> pd.DataFrame:
    """The rows with `cost` and `reference_cost`, null where unknown, and their `unit`, after the quantity.

    A mean of a treatment's runs that count; of several campaigns of a side the geometric mean of theirs.
    """
    ours, theirs = _means(new), _means(old).rename({TREATMENT: "reference"})
    found = rows.merge(ours.rename("cost").reset_index(), how="left", on=KEY)
    against = ["reference" if name == TREATMENT else name for name in KEY]
    others = theirs.rename("reference_cost").rename_axis(against).reset_index()
    found = found.merge(others, how="left", on=against).assign(
        unit=[named(one).unit for one in rows["quantity"]]
    )
    place = list(rows.columns).index("quantity") + 1
    beside = ["cost", "reference_cost", "unit"]
    return found[[*rows.columns[:place], *beside, *rows.columns[place:]]]


def quotients(rows: pd.DataFrame) -> list[str]:
    """A line where somebody who divides the costs of one campaign's rows finds another ratio."""
    numbers = rows[["cost", "reference_cost", "ratio"]].apply(pd.to_numeric, errors="coerce")
    apart = numbers["cost"] / numbers["reference_cost"] / numbers["ratio"] - 1
    return [QUOTIENTS] if (apart.abs() > SEEN_APART).any() else []


def _means(sides: Sequence[Side]) -> pd.Series:
    """By KEY."""
    if len(sides) == 1:
        return sides[0].analysis.costs.set_index(KEY)["mean"]
    known = pd.concat([side.analysis.costs for side in sides]).dropna(subset=["mean"])
    return known.groupby(KEY)["mean"].agg(geometric_mean).astype("float64")
