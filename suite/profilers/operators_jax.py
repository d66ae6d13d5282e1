"""JAX's operators by jax.profiler: the instructions of XLA, by the primitives and scopes that they were made of."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import jax

from suite.profilers import hlo, xla_spans
from suite.profilers.operators import RecordedWindow, table
from suite.profilers.xla_spans import Traced

HOST, DEVICE = "/host:", "/device:"


def recorder(device: str) -> JaxOperators:
    return JaxOperators(device)


class JaxOperators:
    EVERY = False

    def __init__(self, device: str) -> None:
        self._window = RecordedWindow()
        self._planes = HOST if device == "cpu" else DEVICE
        self._events: list[Traced] = []

    @contextmanager
    def recording(self) -> Iterator[None]:
        options = jax.profiler.ProfileOptions()
        options.python_tracer_level, options.host_tracer_level = 0, 2
        with tempfile.TemporaryDirectory() as folder:
            with jax.profiler.trace(folder, profiler_options=options), self._window.open():
                yield
            (trace,) = Path(folder).rglob("*.xplane.pb")
            self._events = list(self._read(jax.profiler.ProfileData.from_file(str(trace))))

    def told(self) -> dict[str, Any]:
        """It tells bytes of copies to and from a GPU alone, and no FLOPs."""
        calls = xla_spans.calls(self._events, lambda module, op: _instructions().get((module, op)))
        every = chain(calls, xla_spans.copies(self._events))
        return table(f"jax.profiler {jax.__version__}", self._window, every)

    def _read(self, data: Any) -> Iterator[Traced]:
        for plane in data.planes:
            if plane.name.startswith(self._planes):
                for line in plane.lines:
                    yield from map(_traced, line.events)


def _traced(event: Any) -> Traced:
    return Traced(event.name, event.start_ns, event.start_ns + event.duration_ns, dict(event.stats))


def _computed(module: Any) -> Iterator[tuple[str, hlo.Computed]]:
    yield from hlo.of_module(hlo.of_text(module.to_string()))


@cache
def _instructions() -> dict[tuple[str, str], hlo.Computed]:
    """Of all that is compiled, by module and name."""
    modules = [one for made in jax.devices()[0].client.live_executables() for one in made.hlo_modules()]
    return {(one.name, name): what for one in modules for name, what in _computed(one)}
