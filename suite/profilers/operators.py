"""The one table that each framework's own profiler is brought into: its operators, by name and where they stand."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from suite.profilers import LONGEST_NAME, plain
from suite.profilers.nesting import Span, covered_ns

MOST_OPERATORS = 5_000
NS_PER_S = 1e9
FORWARD, GRADIENT, OPTIMISER, UNKNOWN = "", "gradient", "optimiser", "unknown"
SCOPES = (FORWARD, GRADIENT, OPTIMISER, UNKNOWN)
UPDATES = {OPTIMISER, "sgd", "adam", "adamw"}  # how our trainers name it, and Keras


@dataclass(frozen=True)
class Call:
    """One call of an operator: its own seconds, from when to when, and what its profiler tells of it, or None."""

    name: str
    scope: str
    seconds: float
    span: Span
    bytes: float | None = None
    flops: float | None = None


class RecordedWindow:
    """From when, and for how long, a profiler recorded: of the clock of a run's samples, CLOCK_MONOTONIC."""

    def __init__(self) -> None:
        self.began_ns, self.seconds = 0, 0.0

    @contextmanager
    def open(self) -> Iterator[None]:
        self.began_ns = time.monotonic_ns()
        yield
        self.seconds = (time.monotonic_ns() - self.began_ns) / NS_PER_S


def table(source: str, window: RecordedWindow, calls: Iterable[Call]) -> dict[str, Any]:
    """`operators`: name, scope, calls, seconds, bytes, FLOPs, the costliest first.

    `source` told them, of `recorded_s` seconds of the clock from `began_ns` on, in `covered_s` of which any operator
    was under way; operators side by side may take more together.
    """
    found: dict[tuple[str, str], list[Any]] = {}
    spans: list[Span] = []
    for one in calls:
        spans.append(one.span)
        row = found.setdefault((one.name, one.scope), [0, 0.0, None, None])
        row[0] += 1
        row[1] += max(one.seconds, 0.0)
        row[2], row[3] = _sum(row[2], one.bytes), _sum(row[3], one.flops)
    rows = [[_text(name), scope, *numbers] for (name, scope), numbers in found.items()]
    rows.sort(key=lambda row: (-row[3], row[0], row[1]))
    return {
        "source": _text(source),
        "recorded_s": window.seconds,
        "began_ns": window.began_ns,
        "covered_s": min(covered_ns(spans) / NS_PER_S, window.seconds),
        "operators": rows[:MOST_OPERATORS],
    }


def _sum(known: float | None, more: float | None) -> float | None:
    return known if more is None else more if known is None else known + more


def _text(name: str) -> str:
    return plain(name)[:LONGEST_NAME]
