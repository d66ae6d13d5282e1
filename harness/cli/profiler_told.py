"""Functions and operators by time, as tables for each run that was profiled within its environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from harness.analysis import function_times
from harness.analysis.call_graph import CallGraph, call_graph
from harness.analysis.function_times import LEAST_SHARE
from harness.analysis.times_within import by_work, operator_times, operators_of
from harness.cli import operators_told, screen
from harness.files import whole_files
from harness.planning.profilers import WITHOUT_OPERATORS
from harness.profiling import function_files
from harness.records import Plan, Profiler
from harness.store import Campaign, Run
from suite.profilers import WITH_OPERATORS

GRAPH, GRAPH_TEXT = "calls.svg", "calls.dot"
NOT_ENERGY = (
    "shares of time, never of energy, and never compared: cProfile slows down what calls many functions"
)


def tell_left_out(plan: Plan, profilers: Sequence[Profiler]) -> None:
    """Frameworks that stay without their operators, if those are asked for, in one line."""
    asked = (*plan.treatments, *(one.treatment for one in plan.skipped))
    without = sorted({one.framework for one in asked} - set(WITH_OPERATORS))
    if Profiler.OPERATORS in profilers and without:
        screen.say(f"left out: {'; '.join(f'{one} {WITHOUT_OPERATORS}' for one in without)}")


def tell(run: Run, title: str, idle_w: float | None) -> None:
    """Of a run that came to its end. Raises: UsageError where its tables were removed or altered."""
    if run.record.planned.profiler == Profiler.OPERATORS:
        operators_told.tell(operators_of(run, idle_w), title)
    else:
        _tell_functions(run, title)


def tell_side_by_side(campaign: Campaign) -> None:
    """The same operators of several frameworks, each a share of its own."""
    for work, runs in by_work(operator_times(campaign)).items():
        told = {one.name: one.times.by_operator.set_index("operator") for one in runs if one.times}
        if len(told) > 1:
            screen.say("")
            screen.say(
                f"{work.title}: the same operators side by side, share of a framework's operators, seconds and joules"
            )
            screen.print_columns(_side_by_side(told))


def _side_by_side(told: Mapping[str, pd.DataFrame]) -> dict[str, list[str]]:
    most = pd.concat([one["share"] for one in told.values()], axis=1).max(axis=1)
    names = most[most >= LEAST_SHARE].sort_values(ascending=False, kind="stable").index
    columns = {
        name: [_beside(rows.get(one)) for one in names]
        for name, rows in ((name, frame.to_dict("index")) for name, frame in told.items())
    }
    return {"operator": list(names), **columns}


def _beside(row: Any) -> str:
    if not row:
        return ""
    joules = "" if pd.isna(row["joules"]) else f", {row['joules']:.3g} J"
    return f"{row['share']:.1%} {row['seconds']:.3g} s{joules}"


def _tell_functions(run: Run, title: str) -> None:
    profile, framework = function_files.read(run.folder), run.record.planned.treatment.framework
    rows = function_times.costliest(profile.functions, framework)
    screen.say(f"{title}: functions over {LEAST_SHARE:.0%} of own time, by cProfile; {NOT_ENERGY}")
    screen.print_columns(
        {
            "function": [function_times.shown(row) for _, row in rows.iterrows()],
            "calls": [f"{one}" for one in rows["calls"]],
            "own s": [f"{one:.3f}" for one in rows["own_s"]],
            "share": [f"{one:.2%}" for one in rows["share"]],
            "with calls s": [f"{one:.3f}" for one in rows["cumulative_s"]],
            "as cProfile has it": _own_names(rows),
        }
    )
    _leave_graph(run, call_graph(profile, framework))


def _leave_graph(run: Run, graph: CallGraph) -> None:
    """As a picture, and in Graphviz' language for whoever wants another one."""
    from reports import call_graphs

    whole_files.write_text(run.folder / GRAPH_TEXT, call_graphs.dot(graph))
    try:
        whole_files.write_text(run.folder / GRAPH, call_graphs.svg_file(graph))
    except call_graphs.NotDrawn as error:
        screen.say(f"{error}; its text: {run.folder / GRAPH_TEXT}")
    else:
        screen.say(f"call graph: {run.folder / GRAPH}")


def _own_names(rows: pd.DataFrame) -> list[str]:
    """Of functions with a public name, where they stand and what they are called there."""
    return [function_times.place(row) if row["api"] else "" for _, row in rows.iterrows()]
