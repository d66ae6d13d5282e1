"""The operators of one run, by time and joules, as a table, with the balance of what was recorded."""

from __future__ import annotations

from typing import Any

import pandas as pd

from harness.analysis.function_times import LEAST_SHARE
from harness.analysis.operator_joules import SHARED, OperatorJoules
from harness.analysis.times_within import OperatorTimes
from harness.cli import screen

BOUNDS = "least and most: what the meter read in as many seconds of least power, and of most"


def tell(times: OperatorTimes, title: str) -> None:
    screen.say(
        f"{title}: operators over {LEAST_SHARE:.0%} of their time, by {times.source}; first epoch or pass, "
        f"{times.recorded_s:.3g} s by the clock"
    )
    shown = times.operators[times.operators["share"] >= LEAST_SHARE]
    screen.print_columns(
        {
            "operator": shown["operator"].tolist(),
            "its own name": shown["name"].tolist(),
            "calls": [f"{one}" for one in shown["calls"]],
            "s": [f"{one:.3f}" for one in shown["seconds"]],
            "share": [f"{one:.1%}" for one in shown["share"]],
            "J": [_amount(one, 1) for one in shown["joules"]],
            "least to most J": [_bounds(row, times.joules) for row in shown.to_dict("records")],
            "MB": [_amount(one, 1e6) for one in shown["bytes"]],
            "GFLOP": [_amount(one, 1e9) for one in shown["flops"]],
        }
    )
    screen.say(
        _balance(times.joules) if times.joules else f"joules of operators are not told: {times.reason}"
    )


def _bounds(row: dict[Any, Any], joules: OperatorJoules | None) -> str:
    if joules is None or not joules.told_apart:
        return ""
    return f"{row['least_j']:.3g} to {row['most_j']:.3g}"


def _balance(joules: OperatorJoules) -> str:
    shares = joules.shares
    parts = {
        "operators": float(shares.joules.sum()),
        "no operator": shares.nothing_j,
        "at rest": shares.idle_j,
    }
    told = " + ".join(f"{name} {one:.4g} J" for name, one in parts.items())
    unsure = "" if joules.half_width_j is None else f" (± {joules.half_width_j:.2g} J by the meter)"
    return f"{told} = {shares.total_j:.4g} J{unsure}, {joules.provenance}; {SHARED}; {_of_bounds(joules)}"


def _of_bounds(joules: OperatorJoules) -> str:
    if joules.told_apart:
        return BOUNDS
    return f"the meter read {joules.readings} times meanwhile, too seldom to tell the least and the most"


def _amount(value: float, of: float) -> str:
    """Nothing for what is not told."""
    return "" if pd.isna(value) else f"{value / of:.3g}"
