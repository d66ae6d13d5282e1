"""Looks at a worker's main thread, of what py-spy tells as a trace of events: begin and end of each call it saw."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile, groupby
from pathlib import Path
from typing import Any

from harness.attribution.functions import MORE, NATIVE, UNKNOWN, is_native
from harness.files.untrusted import printable

MOST_BYTES = 1 << 28  # some ten times as much memory to read it
LONGEST_NAME = 200
LONGEST_SYMBOL = 90  # with its library no more than a name: those of C++ tell their templates
NS_PER_US = 1000
INSTALLED = re.compile(r"^/?.*(?:/(?:site|dist)-packages/|/python3\.\d+/|/(?=suite/\w))")
PYTHON = ".py"  # how its files end; py-spy names the library of what it has no file of
ADDRESS = re.compile(r"0x[0-9a-f]+$")  # in place of a symbol: another one in each process
WORKER = "suite/run.py"  # the main thread is in it, from the beginning to the end


@dataclass(frozen=True)
class SeenStacks:
    """Times in CLOCK_MONOTONIC ns, in order, and what the stack was: name (file) of each call, joined."""

    t_ns: Sequence[int]
    stacks: Sequence[str]


def looks(path: Path, began_ns: int, looks_per_s: int, native: bool = False) -> SeenStacks:
    """A trace tells only changes: in between each look saw the same. Raises: ValueError for what is no trace.

    `native`: with frames of compiled code, which are marked.
    """
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"the trace of stacks has more than {MOST_BYTES} bytes")
    events = json.loads(path.read_text())
    told, main = native_frame if native else python_frame, _main_thread(events)
    changes = list(_changes([one for one in events if one["tid"] == main], told))
    period_ns = 1_000_000_000 // looks_per_s
    found: list[tuple[int, str]] = []
    for (at_us, stack), (until_us, _) in zip(changes, [*changes[1:], *changes[-1:]], strict=True):
        begin, end = (began_ns + round(one * NS_PER_US) for one in (at_us, until_us))
        count = max(1, round((end - begin) / period_ns))
        found += [(begin + number * (end - begin) // count, stack) for number in range(count)]
    return SeenStacks([t for t, _ in found], [stack for _, stack in found])


def _main_thread(events: Iterable[dict[str, Any]]) -> Any:
    """The first that was seen in the worker's own code."""
    return next((one["tid"] for one in events if str(one["args"]["filename"]).endswith(WORKER)), None)


def _changes(
    events: Sequence[dict[str, Any]], told: Callable[[str, str], str]
) -> Iterator[tuple[float, str]]:
    """When the stack became another one."""
    stack: list[str] = []
    for at_us, together in groupby(events, key=lambda one: one["ts"]):
        for one in together:
            if one["ph"] == "B":
                stack.append(told(str(one["name"]), str(one["args"]["filename"])))
            elif stack:
                stack.pop()
        yield at_us, MORE.join(dropwhile(is_native, stack))  # what starts Python's main is of no function


def python_frame(name: str, file: str) -> str:
    """On one line, whatever the worker calls its functions: nothing of it may pass for another frame, line or kind."""
    told = f"{name[:LONGEST_NAME]} ({within(file)[:LONGEST_NAME]})"
    return printable(told).replace(MORE, ",").replace(NATIVE, NATIVE.strip("[]"))


def native_frame(name: str, file: str) -> str:
    """As python_frame; of compiled code marked, with its library's name in place of the file's."""
    if file.endswith(PYTHON) or file.startswith("<"):
        return python_frame(name, file)
    symbol, library = name if not ADDRESS.match(name) else UNKNOWN, file.rpartition("/")[2]
    told = f"{symbol[:LONGEST_SYMBOL]} {NATIVE} ({'' if library == '?' else library[:LONGEST_SYMBOL]})"
    return printable(told).replace(MORE, ",")


def within(file: str) -> str:
    """A file within its package, the standard library, or the suite: where those lie is nobody's business.

    Of others, as of code that a framework has compiled into a folder of its own, the name alone.
    """
    within = INSTALLED.sub("", file, count=1)
    return within.rpartition("/")[2] if within.startswith("/") else within
