"""Which functions took the time of a run under cProfile, as ICSE'22 prints them: shares of time, no energy (R38)."""

from __future__ import annotations

import pandas as pd

from harness.analysis.api_names import api

LEAST_SHARE = 0.01  # of the own time of all functions


def costliest(functions: pd.DataFrame, framework: str, least_share: float = LEAST_SHARE) -> pd.DataFrame:
    """The functions of at least this share, the costliest first, with `api`: empty where it is none's.

    `functions`: FUNCTION_COLUMNS of harness.profiling.function_files.
    """
    found = functions[functions["share"] >= least_share].sort_values(
        "own_s", ascending=False, kind="stable", ignore_index=True
    )
    found = found.head(round(1 / least_share))  # no more can be, but in a table that somebody altered
    names = [
        api(file, function, framework)
        for file, function in zip(found["file"], found["function"], strict=True)
    ]
    return found.assign(api=names)


def shown(row: pd.Series) -> str:
    """A function as a person reads it: its public name, or its own and where it stands."""
    return str(row["api"]) or place(row)


def place(row: pd.Series) -> str:
    """As cProfile has it, and where; of a function in C its name alone."""
    return f"{row['function']} ({row['file']}:{row['line']})" if row["line"] else str(row["function"])
