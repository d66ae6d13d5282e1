"""Reads all meters on one absolute schedule while a run goes on."""

from __future__ import annotations

import threading
import time
from array import array
from types import TracebackType

import pandas as pd

from harness.meters.base import Meter, MeterLost, Reader
from harness.records import Unavailable


class Sampler:
    """Samples in a thread of its own. Meters of the machine from the start, those of the run once `attach`ed."""

    def __init__(self, meters: tuple[Meter, ...], period_s: float) -> None:
        self._meters, self._period_s = meters, period_s
        self._readers: dict[str, Reader] = {}
        self._t_ns, self._channel, self._value = array("q"), list[str](), array("d")
        self._lost: list[Unavailable] = []
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._loop, daemon=True)
        self.cpu_s: float | None = None

    def __enter__(self) -> Sampler:
        self._open(needs_process=False, pid=None)
        self.sample()
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._stop.set()
        self._thread.join()
        self.sample()

    def attach(self, pid: int) -> None:
        """Starts the meters that read the run's own processes."""
        self._open(needs_process=True, pid=pid)

    def _open(self, needs_process: bool, pid: int | None) -> None:
        with self._lock:
            for meter in self._meters:
                if meter.needs_process is needs_process:
                    self._readers[meter.channels[0].meter] = meter.open(pid)

    def _loop(self) -> None:
        start, tick = time.monotonic(), 0
        while True:
            # The next slot of the absolute schedule that is still to come: late readings shift no later one.
            tick = max(tick + 1, int((time.monotonic() - start) / self._period_s) + 1)
            if self._stop.wait(start + tick * self._period_s - time.monotonic()):
                break
            self.sample()
        self.cpu_s = time.thread_time()

    def sample(self) -> None:
        """Reads everything now; also called at the borders that must be enclosed by readings."""
        with self._lock:
            for name, reader in list(self._readers.items()):
                self._read(name, reader)

    def _read(self, name: str, reader: Reader) -> None:
        before_ns = time.monotonic_ns()
        try:
            readings = reader()
        except MeterLost as error:
            del self._readers[name]
            self._lost.append(Unavailable(meter=name, reason=str(error), remedy="see the kernel's log"))
            return
        t_ns = (before_ns + time.monotonic_ns()) // 2
        for channel, value in readings.items():
            self._t_ns.append(t_ns)
            self._channel.append(channel)
            self._value.append(value)

    @property
    def lost(self) -> tuple[Unavailable, ...]:
        return tuple(self._lost)

    def samples(self) -> pd.DataFrame:
        """Long frame of raw readings so far: t_ns (int64), channel (category), value (float64)."""
        with self._lock:
            return pd.DataFrame(
                {
                    "t_ns": pd.Series(self._t_ns, dtype="int64"),
                    "channel": pd.Categorical(self._channel),
                    "value": pd.Series(self._value, dtype="float64"),
                }
            )
