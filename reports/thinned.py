"""Of very many runs those that a page shows: it stays readable, and says how many it leaves out.

Every statistic is of all runs; only what is drawn or listed run by run is of some.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from harness.analysis.groups import TREATMENT
from harness.analysis.verdict import Flags
from reports.formats import THIN

MOST_ROWS = 1_000  # of a table with a row for each run
MOST_MARKS = 120  # of each framework in a chart: more hide each other
EXPORTED = "suite export with --format csv has every run"


def even(count: int, most: int) -> Flags:
    """Which of so many in a row to keep: at most `most`, evenly spread, the first and the last among them."""
    kept = np.zeros(count, dtype=bool)
    kept[np.linspace(0, count - 1, min(count, most)).round().astype(np.int64)] = True
    return kept if count else np.zeros(0, dtype=bool)


def marks(runs: pd.DataFrame, value: str = "value", most: int = MOST_MARKS) -> pd.DataFrame:
    """Of each treatment the runs that are drawn, in their order, its least and greatest value among them."""
    if not _many(runs, most):
        return runs
    return runs[runs.groupby(TREATMENT, sort=False)[value].transform(_drawn, most=most).astype(bool)]


def _many(runs: pd.DataFrame, most: int) -> bool:
    """Whether a treatment has more than `most`: whoever has fewer runs altogether need not count."""
    return len(runs) > most and bool((runs.groupby(TREATMENT).size() > most).any())


def _drawn(values: pd.Series, most: int) -> Flags:
    kept = even(len(values), most - 2 if len(values) > most else most)
    if values.notna().any():
        known = values.to_numpy(dtype=np.float64)
        kept[[np.nanargmin(known), np.nanargmax(known)]] = True
    return kept


def rows(runs: pd.DataFrame, most: int = MOST_ROWS) -> pd.DataFrame:
    """The runs that are listed, in their order: those that do not count first of all, then evenly spread ones."""
    if len(runs) <= most:
        return runs
    out = runs["exclusion"].to_numpy() != ""
    kept = np.zeros(len(runs), dtype=bool)
    kept[np.flatnonzero(out)[even(int(out.sum()), most // 2)]] = True
    kept[np.flatnonzero(~out)[even(int((~out).sum()), most - int(kept.sum()))]] = True
    return runs[kept]


def counted(number: int) -> str:
    """E.g. 100 000."""
    return f"{number:,}".replace(",", THIN)


def drawn_of(runs: pd.DataFrame) -> str:
    """One line of what a chart leaves out; empty where it has a mark for each run."""
    if not _many(runs, MOST_MARKS):
        return ""
    return (
        f"Of {counted(len(runs))} runs at most {MOST_MARKS} of each framework are drawn, evenly spread, the least and "
        f"the greatest among them; {EXPORTED}."
    )


def listed_of(shown: int, whole: int) -> str:
    """One line of what a table leaves out; empty where it has a row for each run."""
    if shown == whole:
        return ""
    return f"{counted(shown)} of {counted(whole)} runs are listed, those that do not count first; {EXPORTED}."


def listed(runs: pd.DataFrame, all_of_them: str = "Every run") -> str:
    """What a link to their table calls them: `all_of_them` only where it has all."""
    return "Runs" if len(runs) > MOST_ROWS else all_of_them


def some_of(shown: int, whole: int) -> str:
    """One line of what another table leaves out."""
    return f"{counted(shown)} of {counted(whole)} are listed, evenly spread; the campaign's folder has all."
