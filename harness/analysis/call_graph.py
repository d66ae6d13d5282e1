"""Who called whom in a run under cProfile: the functions that hold time, and the calls between them."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from harness.analysis.api_names import api
from harness.analysis.function_times import place, shown
from harness.profiling.function_files import FunctionProfile

LEAST_TOTAL = 0.01  # of the time: a function with what it called, or the calls of one by one other
MOST_FUNCTIONS, MOST_CALLS = 40, 120  # that a person can look at


@dataclass(frozen=True)
class CallGraph:
    """Shares are of the own time of all functions.

    `functions`: name, place, calls, own_share, total_share, the longest first; `calls`: caller, callee (rows of
    `functions`), calls, share. `left_out` functions hold enough time, but are beyond what a graph shows.
    """

    functions: pd.DataFrame
    calls: pd.DataFrame
    left_out: int


def call_graph(profile: FunctionProfile, framework: str) -> CallGraph:
    """Of what holds LEAST_TOTAL of the time with what it called."""
    known, total_s = profile.functions, _total_s(profile.functions)
    long = known[known["cumulative_s"] >= LEAST_TOTAL * total_s] if total_s > 0 else known[:0]
    order = long["cumulative_s"].sort_values(ascending=False, kind="stable")
    drawn = profile.sorted(order[:MOST_FUNCTIONS])
    calls = drawn.calls.assign(share=drawn.calls["cumulative_s"].astype(float) / (total_s or 1.0))
    calls = calls[calls["share"] >= LEAST_TOTAL].nlargest(MOST_CALLS, "share")
    functions = _described(drawn.functions, framework, total_s)
    return CallGraph(
        functions, calls[["caller", "callee", "calls", "share"]], max(len(order) - MOST_FUNCTIONS, 0)
    )


def _total_s(functions: pd.DataFrame) -> float:
    """Of the run: tables keep the functions with some time, and the shares that they have of all."""
    kept = functions["share"].sum()
    return float(functions["own_s"].sum() / kept) if kept > 0 else 0.0


def _described(functions: pd.DataFrame, framework: str, total_s: float) -> pd.DataFrame:
    pairs = zip(functions["file"], functions["function"], strict=True)
    named = functions.assign(api=[api(file, function, framework) for file, function in pairs])
    return pd.DataFrame(
        {
            "name": [shown(row) for _, row in named.iterrows()],
            "place": [place(row) for _, row in named.iterrows()],
            "calls": named["calls"],
            "own_share": named["share"],
            "total_share": named["cumulative_s"] / total_s if total_s > 0 else 0.0,
        }
    )
