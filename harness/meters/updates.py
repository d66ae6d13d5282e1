"""How often a counter really changes: readings in between repeat it (rules R9 and R14)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from itertools import pairwise
from statistics import median

ENOUGH_CHANGES = 11


def update_periods_s(
    counters: Mapping[str, Callable[[], float]], watch_s: float, poll_s: float
) -> dict[str, float | None]:
    """The median time between changes of each counter; None for one that did not change twice in `watch_s`."""
    values = {name: read_counter() for name, read_counter in counters.items()}
    changed_s: dict[str, list[float]] = {name: [] for name in counters}
    end_s = time.monotonic() + watch_s
    while time.monotonic() < end_s and any(len(times) < ENOUGH_CHANGES for times in changed_s.values()):
        for name, read_counter in counters.items():
            value = read_counter()
            if value != values[name]:
                values[name] = value
                changed_s[name].append(time.monotonic())
        time.sleep(poll_s)
    return {name: _median_gap(times) for name, times in changed_s.items()}


def _median_gap(times: list[float]) -> float | None:
    gaps = [after - before for before, after in pairwise(times)]
    return median(gaps) if gaps else None
