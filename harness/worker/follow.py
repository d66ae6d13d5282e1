"""Follows a worker's events as they come: each is read once, checked, dated by the host's clock and written down."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from harness.worker import events
from harness.worker.events import EVENTS_FILE, BadEvent
from suite.protocol import Event, Pipe

Listener = Callable[[Event], None]


@dataclass(frozen=True)
class Told:
    """An event and when it came, in CLOCK_MONOTONIC ns; `event.t_ns` is the worker's own word.

    `since_ns`: the host's last look before, when it had not come. A busy machine keeps the host from looking.
    """

    event: Event
    seen_ns: int
    since_ns: int


class EventTail:
    """`told`: everything so far, in order. What has been read once can no longer be altered by anybody."""

    def __init__(self, pipe: Pipe, folder: Path, on_event: Listener) -> None:
        """Writes EVENTS_FILE into the harness' own `folder`."""
        self._pipe, self._on_event = pipe, on_event
        self._file = (folder / EVENTS_FILE).open("xb", buffering=0)
        self._rest, self._bytes, self._written = b"", 0, 0
        self._since_ns = time.monotonic_ns()
        self.told: list[Told] = []

    def poll(self) -> None:
        """Takes in what has come. Raises: BadEvent naming the line that is none, or the bound that is passed."""
        looked_ns = time.monotonic_ns()
        text = self._pipe.read()
        if text:
            self._take_in(text)
        self._since_ns = looked_ns  # a read takes all there was: a pipe holds no more

    def _take_in(self, text: bytes) -> None:
        seen_ns = time.monotonic_ns()
        self._bytes += len(text)
        *lines, self._rest = (self._rest + text).split(b"\n")
        for line in lines:
            self._take(line, seen_ns)
        self._require_totals()
        self._require_short_rest()

    def _take(self, line: bytes, seen_ns: int) -> None:
        number = len(self.told) + 1
        try:
            event = events.parse(line)
        except BadEvent as error:
            raise BadEvent(f"line {number} of the worker's events is not one: {error}") from None
        written = events.to_line(event)
        self._written += len(written)  # numbers and what is hidden may be longer than the worker wrote them
        self._require_totals()
        self.told.append(Told(event, seen_ns, self._since_ns))
        os.write(self._file.fileno(), written)
        self._on_event(event)

    def _require_short_rest(self) -> None:
        if len(self._rest) > events.LINE_BYTES:
            raise BadEvent(
                f"line {len(self.told) + 1} of the worker's events is longer than {events.LINE_BYTES} bytes"
            )

    def _require_totals(self) -> None:
        if max(self._bytes, self._written) > events.TOTAL_BYTES or len(self.told) > events.MOST_EVENTS:
            raise BadEvent(
                f"the worker told more than {events.TOTAL_BYTES} bytes or {events.MOST_EVENTS} events"
            )

    def find(self, *kinds: str) -> Event | None:
        found = self.first(*kinds)
        return None if found is None else found.event

    def first(self, *kinds: str) -> Told | None:
        """Of these kinds; None if none has come."""
        return next((one for one in self.told if one.event.kind in kinds), None)

    def close(self) -> None:
        self._file.close()
