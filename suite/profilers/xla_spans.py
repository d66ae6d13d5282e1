"""The instructions of XLA in a trace: how long each took, also where another thread ended what one began."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from suite.profilers.hlo import Computed, Instruction, of
from suite.profilers.nesting import Span
from suite.profilers.operators import FORWARD, NS_PER_S, Call

END = "end: "  # how the end of an instruction is named that another thread came to
BEGUN, ENDED = "_p", "_c"  # numbers that belong together
COPY, SIZE = "Memcpy", re.compile(r"\bsize:(?P<bytes>\d+)")


@dataclass(frozen=True)
class Traced:
    """One event of a trace."""

    name: str
    begin_ns: float
    end_ns: float
    stats: Mapping[str, Any]


Lookup = Callable[[str, str], Computed | None]  # by the names of a module and of an instruction in it


def is_instruction(event: Traced) -> bool:
    return "hlo_op" in event.stats


def copies(events: Iterable[Traced]) -> Iterator[Call]:
    """To, from and on a GPU, with their bytes: "kind_src:pageable size:4096 dest:0"."""
    for one in events:
        if one.name.startswith(COPY) and not is_instruction(one):
            size = SIZE.search(str(one.stats.get("memcpy_details", "")))
            told = float(size["bytes"]) if size else None
            yield _call(one.name, FORWARD, Span(one.begin_ns, one.end_ns), told)


def calls(events: Iterable[Traced], computed: Lookup) -> Iterator[Call]:
    """Of every instruction but those that call others."""
    begun: dict[Any, Traced] = {}
    ends: dict[Any, float] = {}
    for number, one in enumerate(events):
        if is_instruction(one):
            begun[one.stats.get(BEGUN) or ("alone", number)] = one
        elif one.name.startswith(END):
            ends[one.stats.get(ENDED)] = one.end_ns
    for key, one in begun.items():
        op = str(one.stats["hlo_op"])
        what = computed(str(one.stats.get("hlo_module", "")), op) or of(Instruction(op, op.partition(".")[0]))
        if not what.calls_others:
            span = Span(one.begin_ns, max(one.end_ns, ends.get(key, 0.0)))
            yield _call(what.name, what.scope, span)


def _call(name: str, scope: str, span: Span, told_bytes: float | None = None) -> Call:
    """One that calls no others."""
    return Call(name, scope, (span.end_ns - span.begin_ns) / NS_PER_S, span, bytes=told_bytes)
