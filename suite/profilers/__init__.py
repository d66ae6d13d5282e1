"""What a run tells of itself where it is asked to: functions by cProfile, operators by its framework's own profiler.

Each profiler is one `<name>.py`, or one `<name>_<backend>.py` per backend, with `recorder(device) -> Recorder`.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

CPROFILE, OPERATORS = "cprofile", "operators"
NAMES = (CPROFILE, OPERATORS)
BACKENDS = {"keras": "tensorflow", "keras-jax": "jax", "keras-torch": "torch"}  # else a framework is its own
WITH_OPERATORS = ("torch", "tensorflow", "jax", *BACKENDS)
LONGEST_NAME = 300


class Recorder(Protocol):
    """`EVERY`: whether all epochs or passes are recorded, or the first alone; `told` is plain JSON."""

    EVERY: bool

    def recording(self) -> AbstractContextManager[None]: ...

    def told(self) -> dict[str, Any]: ...


class Profiled:
    """A run's profiler, or none; only the stage's own work is recorded, no import and no compilation."""

    def __init__(self, profiler: str, framework: str, device: str) -> None:
        self._profiler = profiler
        self._recorder: Recorder | None = _recorder(profiler, framework, device) if profiler else None

    def recording(self, number: int) -> AbstractContextManager[None]:
        """Of the epoch or pass of this number, from 1."""
        if self._recorder is None or not (self._recorder.EVERY or number == 1):
            return nullcontext()
        return self._recorder.recording()

    def told(self) -> Iterator[bytes]:
        """JSON, in pieces; nothing where nothing was asked for."""
        if self._recorder is not None:
            record = {"profiler": self._profiler, **self._recorder.told()}
            yield from (piece.encode() for piece in json.JSONEncoder(allow_nan=False).iterencode(record))


def plain(name: str) -> str:
    """Of anybody's name what JSON can hold: half a character, as of a file that is named in no UTF-8, is escaped."""
    return name.encode("utf-8", "backslashreplace").decode()


def _recorder(profiler: str, framework: str, device: str) -> Recorder:
    """Raises: ValueError for a profiler that the framework does not have."""
    if profiler == CPROFILE:
        return _made(CPROFILE, device)
    if profiler != OPERATORS or framework not in WITH_OPERATORS:
        raise ValueError(f"{framework} has no profiler '{profiler}'")
    return _made(f"{OPERATORS}_{BACKENDS.get(framework, framework)}", device)


def _made(name: str, device: str) -> Recorder:
    recorder: Recorder = importlib.import_module(f"{__name__}.{name}").recorder(device)
    return recorder
