"""Functions and operators by time, as tables for each run that was profiled within its environment."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from harness.analysis import function_times, operators
from harness.cli import screen
from harness.errors import UsageError
from harness.profiling import function_files, operator_files
from harness.records import Plan, Profiler
from harness.store import Run
from suite.profilers import WITH_OPERATORS

NOT_ENERGY = (
    "shares of time, never of energy, and never compared: cProfile slows down what calls many functions"
)


def require_operators(plan: Plan, profilers: Sequence[Profiler]) -> None:
    """Raises: UsageError for a framework of the plan that has no profiler of operators, if one is asked for."""
    without = sorted({one.framework for one in plan.treatments} - set(WITH_OPERATORS))
    if Profiler.OPERATORS in profilers and without:
        raise UsageError(
            f"{without[0]} has no operators of its own to profile; leave out --tool operators, or name another with -f"
        )


def tell(run: Run, title: str) -> None:
    """Of a run that came to its end. Raises: UsageError where its tables were removed or altered."""
    if run.record.planned.profiler == Profiler.OPERATORS:
        _tell_operators(run, title)
    else:
        _tell_functions(run, title)


def _tell_functions(run: Run, title: str) -> None:
    profile = function_files.read(run.folder)
    rows = function_times.costliest(profile.functions, run.record.planned.treatment.framework)
    screen.say(
        f"{title}: functions over {function_times.LEAST_SHARE:.0%} of own time, by cProfile; {NOT_ENERGY}"
    )
    screen.print_columns(
        {
            "function": [function_times.shown(row) for _, row in rows.iterrows()],
            "calls": [f"{one}" for one in rows["calls"]],
            "own s": [f"{one:.3f}" for one in rows["own_s"]],
            "share": [f"{one:.2%}" for one in rows["share"]],
            "total s": [f"{one:.3f}" for one in rows["cumulative_s"]],
            "as cProfile has it": _own_names(rows),
        }
    )


def _tell_operators(run: Run, title: str) -> None:
    told = operator_files.read(run.folder)
    rows = operators.normalised(told)
    shown = rows[rows["share"] >= function_times.LEAST_SHARE]
    source, recorded_s = told["source"].iloc[0], told["recorded_s"].iloc[0]
    screen.say(
        f"{title}: operators over {function_times.LEAST_SHARE:.0%} of their time, by {source}, in {recorded_s:.3g} s of "
        "the first epoch or pass; side by side they may take more"
    )
    screen.print_columns(
        {
            "operator": shown["operator"].tolist(),
            "its own name": shown["name"].tolist(),
            "calls": [f"{one}" for one in shown["calls"]],
            "s": [f"{one:.3f}" for one in shown["seconds"]],
            "share": [f"{one:.1%}" for one in shown["share"]],
            "MB": [_amount(one, 1e6) for one in shown["bytes"]],
            "GFLOP": [_amount(one, 1e9) for one in shown["flops"]],
        }
    )


def _amount(value: float, of: float) -> str:
    """Nothing for what the profiler does not tell."""
    return "" if pd.isna(value) else f"{value / of:.3g}"


def _own_names(rows: pd.DataFrame) -> list[str]:
    """Of functions with a public name."""
    return [row["function"] if row["api"] else "" for _, row in rows.iterrows()]
