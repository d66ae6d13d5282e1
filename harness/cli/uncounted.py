"""Pairs that no run counts for: of a campaign that a budget ended they are most, and a table of each says nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from harness.analysis.cost_table import NO_RUN
from harness.analysis.groups import GROUP, TREATMENT
from harness.cli.ratios_told import works
from reports.formats import listed


def apart(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of harness.cli.comparing that are told, and those of pairs without any run."""
    pair = [rows[name] for name in (*GROUP, TREATMENT, "reference")]
    without = rows["ratio"].isna() & rows["ratio_reason"].eq(NO_RUN)
    whole = without.groupby(pair, dropna=False).transform("all").astype(bool)
    return rows[~whole], rows[whole]


def lines(rows: pd.DataFrame, among: pd.DataFrame) -> Iterator[str]:
    """A line for each work: "no run counts: svm infer digits, sklearn 1.8.0 and sklearn 1.9.1".

    `among`: all that is compared, from whose works each is told apart.
    """
    for group, own in works(among).items():
        if len(mine := group.select(rows)):
            names = listed(dict.fromkeys(mine[TREATMENT]))
            yield f"{NO_RUN}: {group.workload} {group.stage} {own}, {names}"
