"""What a worker told of its evaluations, with what the host judged itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from suite.protocol import Event

METRICS = "metrics"


def evaluations(events: Iterable[Event]) -> int:
    return sum(event.kind == METRICS for event in events)


def with_judged(events: Iterable[Event], judged: Sequence[Mapping[str, float | None]]) -> Iterator[Event]:
    """`judged`: of each evaluation, in order; the worker's own word of such a metric counts for nothing."""
    left = iter(judged)
    for event in events:
        values = next(left, None) if event.kind == METRICS else None
        yield _with_values(event, values) if values else event


def _with_values(event: Event, values: Mapping[str, float | None]) -> Event:
    return replace(event, data={**event.data, "values": {**event.data["values"], **values}})
