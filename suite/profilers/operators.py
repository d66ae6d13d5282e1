"""The one table that each framework's own profiler is brought into: its operators, by name and where they stand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from suite.profilers import LONGEST_NAME

MOST_OPERATORS = 5_000
FORWARD, GRADIENT, OPTIMISER = "", "gradient", "optimiser"
SCOPES = (FORWARD, GRADIENT, OPTIMISER)


@dataclass(frozen=True)
class Call:
    """One call of an operator: its own seconds, and what its profiler tells of it; None where it does not."""

    name: str
    scope: str
    seconds: float
    bytes: float | None = None
    flops: float | None = None


def table(source: str, calls: Iterable[Call]) -> dict[str, Any]:
    """`operators`: name, scope, calls, seconds, bytes, FLOPs, the costliest first; `source` told them."""
    found: dict[tuple[str, str], list[Any]] = {}
    for one in calls:
        row = found.setdefault((one.name, one.scope), [0, 0.0, None, None])
        row[0] += 1
        row[1] += max(one.seconds, 0.0)
        row[2], row[3] = _sum(row[2], one.bytes), _sum(row[3], one.flops)
    rows = [[_text(name), scope, *numbers] for (name, scope), numbers in found.items()]
    rows.sort(key=lambda row: (-row[3], row[0], row[1]))
    return {"source": _text(source), "operators": rows[:MOST_OPERATORS]}


def _sum(known: float | None, more: float | None) -> float | None:
    return known if more is None else more if known is None else known + more


def _text(name: str) -> str:
    return name[:LONGEST_NAME].encode("utf-8", "replace").decode()
