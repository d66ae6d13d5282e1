"""Meters that answer late: asked in a thread at their own period, so that a slow one delays no other.

Each reading carries the time at which it was asked for. An answer that fails gives no reading, never 0; it is counted,
and three in a row lose the meter.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections import deque
from collections.abc import Callable

from harness.meters.base import MeterLost, Readings

FAILURES_IN_A_ROW = 3
LAST_WAIT_S = 1.0
LONGEST_S = 3600.0  # of a period or a timeout
KEPT_ANSWERS = 1000  # more than anybody leaves unread


class NoReading(Exception):
    """No number this time, and why."""


Ask = Callable[[threading.Event], Readings]  # stamped; raises NoReading; ends soon once the event is set


class BackgroundReader:
    """Hands each answer over once; the thread ends with this object."""

    def __init__(self, name: str, ask: Ask, period_s: float, timeout_s: float) -> None:
        self._poller, self._newest = _Poller(name, ask, period_s), Readings()
        self._patience_s = 2 * timeout_s + LAST_WAIT_S  # for the answer under way, and one more
        weakref.finalize(self, self._poller.stop)

    def __call__(self) -> Readings:
        """The oldest answer that was not handed over yet, or nothing. Raises: MeterLost."""
        return self._poller.next()

    def finish(self) -> list[Readings]:
        """Asks now, and waits for that, whether it is answered or not: every answer not handed over yet."""
        return self._poller.finish(self._patience_s)

    def newest(self) -> Readings:
        """The last answer, handed over already or not; nothing before the first. Raises: MeterLost."""
        while answer := self():
            self._newest = answer
        return self._newest

    @property
    def missed(self) -> int:
        """How many answers gave no reading so far."""
        return self._poller.missed


class _Poller:
    """Asks on an absolute schedule, until it is stopped or fails too often."""

    def __init__(self, name: str, ask: Ask, period_s: float) -> None:
        self.missed = 0
        self._ask, self._period_s = ask, period_s
        self._answers: deque[Readings] = deque(maxlen=KEPT_ANSWERS)
        self._failures: list[str] = []  # in a row
        self._stop, self._at_once, self._asked = threading.Event(), threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._poll, name=name, daemon=True)
        self._thread.start()

    def next(self) -> Readings:
        if self._answers:
            return self._answers.popleft()
        if len(self._failures) >= FAILURES_IN_A_ROW:
            raise MeterLost(f"it gave no reading {FAILURES_IN_A_ROW} times: {self._failures[-1]}")
        return {}

    def finish(self, timeout_s: float) -> list[Readings]:
        if self._thread.is_alive():
            self._asked.clear()
            self._at_once.set()
            self._asked.wait(timeout_s)
        return [self._answers.popleft() for _ in range(len(self._answers))]

    def stop(self) -> None:
        """Ends the thread and what it waits for."""
        self._stop.set()
        self._at_once.set()
        self._thread.join(LAST_WAIT_S)

    def _poll(self) -> None:
        start, tick = time.monotonic(), 0
        while len(self._failures) < FAILURES_IN_A_ROW and not self._stop.is_set():
            last = self._at_once.is_set()
            self._answer()
            if last:  # asked for by whoever waits for it
                self._at_once.clear()
                self._asked.set()
            tick = max(tick, int((time.monotonic() - start) / self._period_s)) + 1
            self._at_once.wait(max(0.0, start + tick * self._period_s - time.monotonic()))
        self._asked.set()

    def _answer(self) -> None:
        try:
            self._answers.append(self._ask(self._stop))
            self._failures.clear()
        except Exception as error:  # noqa: BLE001 - a thread that ends of it would be a meter lost in silence
            self.missed += not self._stop.is_set()
            self._failures.append(str(error) or type(error).__name__)
