"""The one table that each framework's own profiler is brought into: its operators, by name and where they stand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from suite.profilers import LONGEST_NAME, plain

MOST_OPERATORS = 5_000
FORWARD, GRADIENT, OPTIMISER, UNKNOWN = "", "gradient", "optimiser", "unknown"
SCOPES = (FORWARD, GRADIENT, OPTIMISER, UNKNOWN)
UPDATES = {OPTIMISER, "sgd", "adam", "adamw"}  # how our trainers name it, and Keras


@dataclass(frozen=True)
class Call:
    """One call of an operator: its own seconds, and what its profiler tells of it; None where it does not."""

    name: str
    scope: str
    seconds: float
    bytes: float | None = None
    flops: float | None = None


def table(source: str, recorded_s: float, calls: Iterable[Call]) -> dict[str, Any]:
    """`operators`: name, scope, calls, seconds, bytes, FLOPs, the costliest first.

    `source` told them, of so many seconds of the clock; operators side by side may take more together.
    """
    found: dict[tuple[str, str], list[Any]] = {}
    for one in calls:
        row = found.setdefault((one.name, one.scope), [0, 0.0, None, None])
        row[0] += 1
        row[1] += max(one.seconds, 0.0)
        row[2], row[3] = _sum(row[2], one.bytes), _sum(row[3], one.flops)
    rows = [[_text(name), scope, *numbers] for (name, scope), numbers in found.items()]
    rows.sort(key=lambda row: (-row[3], row[0], row[1]))
    return {"source": _text(source), "recorded_s": recorded_s, "operators": rows[:MOST_OPERATORS]}


def _sum(known: float | None, more: float | None) -> float | None:
    return known if more is None else more if known is None else known + more


def _text(name: str) -> str:
    return plain(name)[:LONGEST_NAME]
