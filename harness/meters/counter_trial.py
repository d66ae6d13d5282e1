"""A counter's trial at start-up: whether it moves, only forwards, and in keeping with the power beside it.

Counters of AMD's GPUs are known to freeze until the next boot, to fall back and to stay at 0 on a package's second
die (https://github.com/ROCm/amdsmi/issues/22 and /38, https://github.com/mlco2/codecarbon/issues/1097).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from harness.counters import growth_between
from harness.meters.updates import Period, period

# Generous: power gauges average over up to a second and come in whole watts, loads begin and end. What is refused is
# a counter of another scale or scope.
MOST_TIMES = 3.0
MOST_W = 10_000.0  # of a GPU, far beyond any: a counter that fell implies more, as if it had gone round
NS_PER_S = 1e9


@dataclass(frozen=True)
class Trial:
    """`fault` says why the counter is not believed, empty where it is; its period is known where it moves."""

    fault: str
    period: Period | None = None


@dataclass(frozen=True)
class Tried:
    """A counter in joules with its range, and the power beside it in watts, None where there is none."""

    read_counter: Callable[[], float]
    wraps_at: float | None
    read_power: Callable[[], float | None]


@dataclass
class Watched:
    """What was read: times in ns, joules, and watts as they came."""

    t_ns: list[int] = field(default_factory=list)
    joules: list[float] = field(default_factory=list)
    watts: list[float] = field(default_factory=list)

    def look(self, one: Tried) -> None:
        self.t_ns.append(time.monotonic_ns())
        self.joules.append(one.read_counter())
        if (power_w := one.read_power()) is not None:
            self.watts.append(power_w)


def trials(tried: Mapping[str, Tried], watch_s: float, poll_s: float) -> dict[str, Trial]:
    """All of them watched together."""
    seen = {name: Watched() for name in tried}
    end_s = time.monotonic() + watch_s
    while time.monotonic() < end_s:
        for name, one in tried.items():
            seen[name].look(one)
        time.sleep(poll_s)
    return {name: judged(seen[name], one.wraps_at) for name, one in tried.items()}


def judged(seen: Watched, wraps_at: float | None) -> Trial:
    """Pure: the trial of what was read."""
    t_s, joules = np.array(seen.t_ns) / NS_PER_S, np.array(seen.joules)
    watched_s = float(np.ptp(t_s)) if len(t_s) else 0.0
    if not len(joules) or not np.ptp(joules):
        return Trial(f"it stood still for {watched_s:.1f} s")
    growth = growth_between(joules[:-1], joules[1:], wraps_at)
    if fault := _fallen(joules, growth, watched_s) or _disagreement(growth, watched_s, seen.watts):
        return Trial(fault)
    found = period([float(one) for one in t_s[1:][growth != 0]])
    return Trial("" if found else f"it did not move twice within {watched_s:.1f} s", found)


def _fallen(joules: np.ndarray, growth: np.ndarray, watched_s: float) -> str:
    if growth.min() >= 0 and growth.sum() <= MOST_W * watched_s:
        return ""
    worst = int(np.argmin(np.diff(joules)))
    return f"it fell from {joules[worst]:.6g} J to {joules[worst + 1]:.6g} J, which is no wrap"


def _disagreement(growth: np.ndarray, watched_s: float, watts: list[float]) -> str:
    if not watts:
        return ""
    counted_w, told_w = float(growth.sum()) / watched_s, float(np.mean(watts))
    if counted_w <= MOST_TIMES * told_w and told_w <= MOST_TIMES * counted_w:
        return ""
    return f"it counted {counted_w:.4g} W on average where the GPU's power was {told_w:.4g} W"
