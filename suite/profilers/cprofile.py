"""Functions by Python's own cProfile: of the main thread, those in C by their names, with who called whom."""

from __future__ import annotations

import cProfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from suite.profilers import LONGEST_NAME, plain

MOST_FUNCTIONS = 5_000  # the rest has no time to speak of: small runs have a thousand
MOST_CALLS = 20_000
BUILT_IN = "~"  # pstats' word for where a function in C stands

Entries = Sequence[Any]  # of cProfile.Profile.getstats()


def recorder(device: str) -> CProfileRecorder:
    """The same on every device: it sees the host."""
    return CProfileRecorder()


class CProfileRecorder:
    EVERY = True

    def __init__(self) -> None:
        self._profile = cProfile.Profile()

    @contextmanager
    def recording(self) -> Iterator[None]:
        self._profile.enable()
        try:
            yield
        finally:
            self._profile.disable()

    def told(self) -> dict[str, Any]:
        """`functions`: file, line, name, primitive calls, calls, own and total seconds, the longest first.

        `calls`: caller and callee by their places among these, calls, own and total seconds of them. `own_s` of all.
        """
        every: Entries = self._profile.getstats()
        kept = sorted(every, key=lambda one: (-one.totaltime, *_label(one.code)))[:MOST_FUNCTIONS]
        places = {id(one.code) if _in_python(one.code) else one.code: place for place, one in enumerate(kept)}
        calls = sorted(_calls(kept, places), key=lambda one: -one[-1])[:MOST_CALLS]
        own_s = sum(one.inlinetime for one in every)
        return {"functions": [_row(one) for one in kept], "calls": calls, "own_s": own_s}


def _row(entry: Any) -> list[Any]:
    calls = entry.callcount
    return [*_label(entry.code), calls - entry.reccallcount, calls, entry.inlinetime, entry.totaltime]


def _label(code: Any) -> tuple[str, int, str]:
    """As pstats has it."""
    if not _in_python(code):
        return BUILT_IN, 0, plain(str(code))[:LONGEST_NAME]
    return plain(code.co_filename)[-LONGEST_NAME:], code.co_firstlineno, plain(code.co_name)[:LONGEST_NAME]


def _in_python(code: Any) -> bool:
    """A function in C is a name alone."""
    return not isinstance(code, str)


def _calls(kept: Entries, places: dict[Any, int]) -> Iterator[list[Any]]:
    for caller, entry in enumerate(kept):
        for called in entry.calls or ():
            callee = places.get(id(called.code) if _in_python(called.code) else called.code)
            if callee is not None:
                yield [caller, callee, called.callcount, called.inlinetime, called.totaltime]
