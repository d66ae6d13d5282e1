"""How often a counter really changes: readings in between repeat it (rules R9 and R14)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

ENOUGH_CHANGES = 31
LEAST_GAPS = 5  # to tell how they vary
NORMAL = 1.349  # standard deviations between the quartiles of a normal distribution


@dataclass(frozen=True)
class Period:
    """The median time between changes, and its standard deviation as a part of it; None where too few were seen.

    By quartiles: a poll that the scheduler held up is no jitter of the sensor's.
    """

    seconds: float
    jitter: float | None


def update_periods(
    counters: Mapping[str, Callable[[], float]], watch_s: float, poll_s: float
) -> dict[str, Period | None]:
    """The period of each counter; None for one that did not change twice in `watch_s`."""
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
    return {name: period(times) for name, times in changed_s.items()}


def period(times_s: list[float]) -> Period | None:
    """From the times at which a counter changed; None where these are fewer than two."""
    gaps_s = np.diff(times_s)
    if not len(gaps_s):
        return None
    first_s, median_s, third_s = (float(one) for one in np.quantile(gaps_s, (0.25, 0.5, 0.75)))
    known = len(gaps_s) >= LEAST_GAPS and median_s > 0
    return Period(median_s, (third_s - first_s) / NORMAL / median_s if known else None)
