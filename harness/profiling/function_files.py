"""Functions by time, and who called whom: of a run under cProfile, or of a `.prof` file, in the same two tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from harness.errors import UsageError
from harness.profiling import csv_files
from harness.profiling.csv_files import AMOUNT, COUNT, TEXT

FUNCTIONS_FILE, CALLS_FILE = "functions.csv", "calls.csv"
_FUNCTIONS = {
    "file": TEXT, "line": COUNT, "function": TEXT, "primitive_calls": COUNT, "calls": COUNT, "own_s": AMOUNT,
    "cumulative_s": AMOUNT, "share": AMOUNT,
}  # fmt: skip
_CALLS = {"caller": COUNT, "callee": COUNT, "calls": COUNT, "own_s": AMOUNT, "cumulative_s": AMOUNT}
FUNCTION_COLUMNS, CALL_COLUMNS = list(_FUNCTIONS), list(_CALLS)
REMEDY = "profile anew: suite profile --tool cprofile"


@dataclass(frozen=True)
class FunctionProfile:
    """`functions`: FUNCTION_COLUMNS, the costliest first; `calls`: CALL_COLUMNS, by the rows of `functions` from 0."""

    functions: pd.DataFrame
    calls: pd.DataFrame

    @classmethod
    def of(cls, functions: pd.DataFrame, calls: Iterable[Sequence[Any]]) -> FunctionProfile:
        """`calls` by the rows of `functions` as they are; they are put in the order of own time."""
        frame = pd.DataFrame([list(one) for one in calls], columns=CALL_COLUMNS)
        return cls(functions, frame).sorted(functions["own_s"].sort_values(ascending=False, kind="stable"))

    def kept(self, least_share: float) -> FunctionProfile:
        """The functions that hold at least this share of the total own time, or ten times that with what they called.

        And the calls between them.
        """
        known = self.functions
        own, total_s = known["share"], known["own_s"].sum()
        calls = known["cumulative_s"] >= 10 * least_share * total_s
        holds = (own >= least_share) | (calls & (known["cumulative_s"] > 0))
        return self.sorted(known["own_s"][holds])

    def sorted(self, rows: pd.Series) -> FunctionProfile:
        """With the functions of the index of `rows`, in its order."""
        places = pd.Series(range(len(rows)), index=rows.index)
        both = self.calls["caller"].isin(rows.index) & self.calls["callee"].isin(rows.index)
        calls = self.calls[both]
        moved = {name: calls[name].map(places).astype("int64") for name in ("caller", "callee")}
        functions = self.functions.loc[rows.index].reset_index(drop=True)
        return FunctionProfile(functions, calls.assign(**moved).reset_index(drop=True))


def with_share(functions: pd.DataFrame, own_s: float) -> pd.DataFrame:
    """Of the own time of all functions."""
    return functions.assign(share=functions["own_s"] / own_s if own_s > 0 else 0.0)


def read(folder: Path) -> FunctionProfile:
    """Raises: UsageError where there is none, or what lies there is none."""
    functions = csv_files.read(folder, FUNCTIONS_FILE, _FUNCTIONS, REMEDY)
    if not (folder / CALLS_FILE).exists():  # imported before calls were kept
        return FunctionProfile(functions, pd.DataFrame(columns=CALL_COLUMNS))
    calls = csv_files.read(folder, CALLS_FILE, _CALLS, REMEDY)
    if len(calls) and calls[["caller", "callee"]].to_numpy().max() >= len(functions):
        raise UsageError(f"{folder / CALLS_FILE} names a function that {FUNCTIONS_FILE} lacks: {REMEDY}")
    return FunctionProfile(functions, calls)
