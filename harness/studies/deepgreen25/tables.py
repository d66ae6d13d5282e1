"""Every cell of its four tables, from the rows."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from harness.studies.base import PrintedCell, printed
from harness.studies.matching import Printed

QUANTITIES = {"energy": ("energy_consumed", "kWh"), "duration": ("duration", "s")}
EFFICIENCY = "mean_efficiency"


def cells(rows: pd.DataFrame) -> Iterator[PrintedCell]:
    for table, language, dataset, stage, column, text in printed("deepgreen25_tables.csv").to_numpy():
        row = " ".join(one for one in (language, dataset, stage) if one)
        unit = "s/kWh" if column == EFFICIENCY else QUANTITIES[column.partition("_")[2]][1]
        ours = (
            _best(rows[rows["dataset"] == dataset], column, language)
            if dataset
            else _of_group(
                rows[(rows["language"] == language) & (rows["stage"].eq(stage) | (not stage))], column
            )
        )
        yield PrintedCell(table, row, column, Printed.of(text), ours, unit)


def _of_group(group: pd.DataFrame, column: str) -> float | None:
    """None where no row is of that group."""
    statistic, _, quantity = column.partition("_")
    if group.empty:
        return None
    if column == EFFICIENCY:
        return float((group["duration"] / group["energy_consumed"]).mean())
    return float(group[QUANTITIES[quantity][0]].agg(statistic))


def _best(group: pd.DataFrame, column: str, language: str) -> float | None:
    """The least value of all languages; None where it is another language's."""
    if group.empty:
        return None
    quantity, _ = QUANTITIES[column.partition("_")[2]]
    least = float(group[quantity].min())
    return least if language in set(group.loc[group[quantity] == least, "language"]) else None
