"""pyRAPL 0.2.3.1 as a second opinion on `rapl`, for users who know its numbers (extra `pyrapl`); never in the energy.

Its weaknesses are kept as they are (rule R11, each seen when run): a counter that wraps gives None, or on several
sockets a negative difference, and this meter ends there; zones named by die (package-0-die-1) are rejected; socket
ids must be contiguous from 0; it reads /sys/class/powercap and nothing else; psys, core and uncore are unknown to it.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from harness.meters import rapl
from harness.meters.base import MeterConfiguration, MeterLost, Reader, Readings
from harness.meters.rapl_host import read_host
from harness.meters.rapl_zones import PERMIT, UJ_PER_J
from harness.records import Channel, ChannelKind, Provenance, Unavailable

ITS_ROOT = Path("/sys/class/powercap")
NOTE = "a cross-check: pyRAPL cannot cross a counter's wrap"
DOMAINS = {"pkg": ("package", "cpu_package"), "dram": ("dram", "dram")}


def find(configuration: MeterConfiguration) -> PyRaplMeter | Unavailable:
    if configuration.powercap_root != ITS_ROOT:
        return _unavailable(
            f"pyRAPL reads {ITS_ROOT} only, not {configuration.powercap_root}", "measure with rapl"
        )
    try:
        pyrapl = _load()
    except ImportError:
        return _unavailable(
            "pyRAPL is not installed", "pip install 'joulemark[pyrapl]' if you want its opinion"
        )
    try:
        first = _Measurement(pyrapl)()
    except MeterLost as error:
        return _unavailable(str(error), PERMIT)
    return PyRaplMeter(pyrapl, _channels(list(first), rapl.provenance(ITS_ROOT, read_host())))


def _unavailable(reason: str, remedy: str) -> Unavailable:
    return Unavailable(meter="pyrapl", reason=reason, remedy=remedy)


def _load() -> Any:
    with _without_pandas(), _quiet_root_logger():
        return import_module("pyRAPL")


@contextmanager
def _without_pandas() -> Iterator[None]:
    """pyRAPL imports pandas where it finds it, for an output unused here: 50 MB of the sampling process."""
    absent = "pandas" not in sys.modules
    if absent:
        sys.modules["pandas"] = None  # type: ignore[assignment] # makes `import pandas` raise ImportError
    try:
        yield
    finally:
        if absent:
            del sys.modules["pandas"]


@contextmanager
def _quiet_root_logger() -> Iterator[None]:
    """Its import warns of what it does without, and thereby gives the root logger a handler."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(level)
        root.handlers[:] = handlers


def _channels(names: list[str], source: Provenance) -> tuple[Channel, ...]:
    return tuple(
        Channel(
            name=name,
            meter="pyrapl",
            unit="J",
            kind=ChannelKind.COUNTER,
            provenance=source,
            domain=next(domain for prefix, domain in DOMAINS.values() if f"/{prefix}-" in name),
            note=NOTE,
        )
        for name in names
    )


class PyRaplMeter:
    """Joules since the opening, as pyRAPL's `Measurement` gives them."""

    needs_process = False
    period_s = None

    def __init__(self, pyrapl: Any, channels: tuple[Channel, ...]) -> None:
        self._pyrapl = pyrapl
        self.channels = channels

    def open(self, pid: int | None) -> Reader:
        return _Measurement(self._pyrapl)


class _Measurement:
    """One measurement that is ended again and again: each end gives what was consumed since its beginning."""

    def __init__(self, pyrapl: Any) -> None:
        self._pyrapl = pyrapl
        self._begun: Any = None
        self._names: set[str] = set()

    def __call__(self) -> Readings:
        try:
            readings = self._end()
        except (self._pyrapl.PyRAPLException, OSError, ValueError, IndexError) as error:
            raise MeterLost(f"pyRAPL: {type(error).__name__} {error}".rstrip()) from error
        self._names = self._names or set(readings)
        if not readings or set(readings) != self._names:
            raise MeterLost("pyRAPL lost a counter: it cannot cross a wrap")
        return readings

    def _end(self) -> Readings:
        if self._begun is None:
            self._pyrapl.setup()
            self._begun = self._pyrapl.Measurement("joulemark")
            self._begun.begin()
        self._begun.end()
        result = self._begun.result
        return {
            f"pyrapl/{prefix}-{socket}": value / UJ_PER_J
            for field, (prefix, _) in DOMAINS.items()
            for socket, value in enumerate(getattr(result, field) or ())
            if value >= 0
        }
