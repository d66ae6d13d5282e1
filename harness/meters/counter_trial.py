"""A counter's trial at start-up: whether it moves, only forwards, and in keeping with the power beside it.

Counters of AMD's GPUs are known to freeze until the next boot, to fall back and to stay at 0 on a package's second
die (https://github.com/ROCm/amdsmi/issues/22 and /38, https://github.com/mlco2/codecarbon/issues/1097).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from harness.energy.plausible import breaches
from harness.energy.series import Series, gauge_integral, increase, series
from harness.meters.updates import Period, period
from harness.records import Channel

# Generous: power gauges average over up to a second and come in whole watts, loads begin and end. What is refused is
# a counter of another scale or scope.
MOST_TIMES = 3.0


@dataclass(frozen=True)
class Trial:
    """`fault` says why the counter is not believed, empty where it is; its period is known where it moves."""

    fault: str
    period: Period | None = None


@dataclass(frozen=True)
class Tried:
    """A counter and, where there is one, the power beside it."""

    counter: Channel
    read_counter: Callable[[], float]
    power: Channel | None = None
    read_power: Callable[[], float | None] = lambda: None


def trials(tried: Mapping[str, Tried], watch_s: float, poll_s: float) -> dict[str, Trial]:
    """All of them watched together."""
    counters: dict[str, list[tuple[int, float]]] = {name: [] for name in tried}
    powers: dict[str, list[tuple[int, float]]] = {name: [] for name in tried}
    end_s = time.monotonic() + watch_s
    while time.monotonic() < end_s:
        for name, one in tried.items():
            counters[name].append((time.monotonic_ns(), one.read_counter()))
            if (power_w := one.read_power()) is not None:
                powers[name].append((time.monotonic_ns(), power_w))
        time.sleep(poll_s)
    return {
        name: judged(
            _series(one.counter, counters[name]), _series(one.power, powers[name]) if one.power else None
        )
        for name, one in tried.items()
    }


def _series(channel: Channel, rows: list[tuple[int, float]]) -> Series:
    times, readings = zip(*rows, strict=True) if rows else ((), ())
    return series(channel, np.array(times, dtype=np.int64), np.array(readings, dtype=np.float64))


def judged(counter: Series, power: Series | None) -> Trial:
    """Pure: the trial of what was read."""
    watched_s = float(np.ptp(counter.t_ns)) / 1e9
    changed = counter.t_ns[1:][np.diff(counter.values) != 0]
    found = period([float(t_ns) / 1e9 for t_ns in changed])
    if not np.ptp(counter.readings):
        return Trial(f"it stood still at {counter.readings[0]:.6g} J for {watched_s:.1f} s")
    if wrong := next(iter(breaches(counter)), None):
        return Trial(f"it went from {wrong.before:.6g} J to {wrong.after:.6g} J: {wrong.why}")
    if found is None:
        return Trial(f"it did not move twice within {watched_s:.1f} s")
    return Trial(_disagreement(counter, power) if power else "", found)


def _disagreement(counter: Series, power: Series) -> str:
    if not len(power.t_ns):
        return ""
    begin_ns, end_ns = (
        int(max(counter.t_ns[0], power.t_ns[0])),
        int(min(counter.t_ns[-1], power.t_ns[-1])),
    )
    counted, integrated = increase(counter, begin_ns, end_ns), gauge_integral(power, begin_ns, end_ns)
    if counted is None or integrated is None:
        return ""
    if counted.value <= MOST_TIMES * integrated.value and integrated.value <= MOST_TIMES * counted.value:
        return ""
    return f"it counted {counted.value:.4g} J where its power gives {integrated.value:.4g} J"
