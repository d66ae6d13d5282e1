"""The phases that a worker marked, and the windows that several of them make together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from suite.protocol import Event


class Phase(NamedTuple):
    """Times are of CLOCK_MONOTONIC."""

    name: str
    epoch: int | None
    begin_ns: int
    end_ns: int


class Window(NamedTuple):
    begin_ns: int
    end_ns: int


def phases(events: Iterable[Event]) -> Iterator[Phase]:
    """Every phase that both began and ended."""
    began: dict[tuple[str, int | None], int] = {}
    for event in events:
        if event.kind == "phase":
            key = (event.data["name"], event.data.get("epoch"))
            if event.data["edge"] == "begin":
                began[key] = event.t_ns
            elif key in began:
                yield Phase(*key, began.pop(key), event.t_ns)


def windows(several: Iterable[Phase], name: str) -> list[Window]:
    """From the beginning of the first to the end of the last of phases of this name that no other one parts.

    So of one part of a stage one for each pass, with the moments between its batches: what a meter gets wrong at a
    border within it is wrong on both sides, and cancels.
    """
    rows = [list(side_by_side) for key, side_by_side in groupby(several, lambda one: one.name) if key == name]
    return [Window(row[0].begin_ns, row[-1].end_ns) for row in rows]


def passes(of_parts: Sequence[Sequence[Window]]) -> list[Window]:
    """Each from the beginning of its first part to the end of its last; `of_parts`: the windows of each, in order."""
    return [Window(one[0].begin_ns, one[-1].end_ns) for one in zip(*of_parts, strict=False)]
