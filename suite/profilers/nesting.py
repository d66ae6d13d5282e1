"""Times of what was begun and ended: of each without what was begun and ended within it, and of all together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Span:
    """In ns of any clock."""

    begin_ns: float
    end_ns: float


def own_ns(spans: Iterable[tuple[Span, T]]) -> Iterator[tuple[T, float]]:
    """What stands with each span, and its own time; spans of one thread, in any order."""
    open_: list[tuple[Span, T, list[float]]] = []
    for span, what in sorted(spans, key=lambda one: (one[0].begin_ns, -one[0].end_ns)):
        while open_ and open_[-1][0].end_ns <= span.begin_ns:
            yield _closed(open_.pop())
        if open_:
            within = min(span.end_ns, open_[-1][0].end_ns) - span.begin_ns
            open_[-1][2].append(within)
        open_.append((span, what, []))
    while open_:
        yield _closed(open_.pop())


def covered_ns(spans: Iterable[Span]) -> float:
    """How long any of them was under way; of any threads, in any order."""
    covered = until = 0.0
    for place, span in enumerate(sorted(spans, key=lambda one: one.begin_ns)):
        until = until if place else span.begin_ns
        covered += max(0.0, span.end_ns - max(until, span.begin_ns))
        until = max(until, span.end_ns)
    return covered


def _closed(one: tuple[Span, T, list[float]]) -> tuple[T, float]:
    span, what, within = one
    return what, span.end_ns - span.begin_ns - sum(within)
