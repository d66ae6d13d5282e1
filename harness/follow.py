"""Follows a worker's events while it writes them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from suite.protocol import EVENTS_FILE, Event, parse_event


class EventTail:
    """Reads what was appended since the last look; a line without its end waits for the next one."""

    def __init__(self, folder: Path, on_event: Callable[[Event], None]) -> None:
        self._path = folder / EVENTS_FILE
        self._on_event = on_event
        self._offset = 0
        self.seen: list[Event] = []

    def poll(self) -> None:
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(self._offset)
            text = file.read()
        whole = text[: text.rfind(b"\n") + 1]
        self._offset += len(whole)
        for line in whole.splitlines():
            if (event := parse_event(line)) is not None:
                self.seen.append(event)
                self._on_event(event)

    def find(self, *kinds: str) -> Event | None:
        return next((event for event in self.seen if event.kind in kinds), None)
