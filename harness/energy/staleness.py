"""When a counter's readings were true: it shows what it held at its sensor's last update; pure.

Two things bound the time since then, its age. A sensor whose updates are u seconds apart, with relative standard
deviation j, has on average an age of u (1 + j^2) / 2 and a mean square of u^2 (1 + 3 j^2) / 3 (renewal theory: a
moment falls into long intervals more often). And a reading that differs from the one before was updated since then:
its age is uniform over that gap, however the sensor jitters. Readings that repeat tell nothing and are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from harness.records import Channel, Provenance

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

NS_PER_S = 1e9
UNIFORM = 1 / sqrt(12)
MOST_JITTER = 1.0  # beyond, a symmetric spread would go back in time
LATEST = 3.0  # standard deviations by which an update may be late
REPEATED = 1 / 3  # of the readings, and the sensor is slower than its sampling


@dataclass(frozen=True)
class Updates:
    """What a counter held when: the time that is most likely, and its standard deviation; both in ns."""

    t_ns: Ints
    values: Floats
    spread_ns: Floats


def updates(channel: Channel, t_ns: Ints, values: Floats) -> Updates:
    """The readings that show an update, dated back to it; all as they are where nothing is known of updates.

    So, too, where a channel's period is 0: what repeats is true, as in a sum of samples of which some are 0.
    """
    moved = np.concatenate(([True], np.diff(values) != 0))
    period_s = _period_s(channel, t_ns, moved)
    if not period_s:
        return Updates(t_ns, values, np.zeros(len(t_ns)))
    if moved.sum() < 3:
        moved = np.full(len(t_ns), True)
    earliest_ns, latest_ns = _between(channel, t_ns, moved, period_s * NS_PER_S)
    mean_s, spread_s = _age_s(period_s, channel.update_jitter or 0.0)
    shown_ns = t_ns[moved]
    usual_ns = shown_ns - np.minimum(mean_s * NS_PER_S, (shown_ns - earliest_ns) / 2)
    middle_ns = np.where(latest_ns < shown_ns, (earliest_ns + latest_ns) / 2, usual_ns)
    spread_ns = np.minimum(spread_s * NS_PER_S, (latest_ns - earliest_ns) * UNIFORM)
    return Updates(middle_ns.round().astype(np.int64), values[moved], spread_ns)


def _between(
    channel: Channel, t_ns: Ints, moved: npt.NDArray[np.bool_], period_ns: float
) -> tuple[Floats, Floats]:
    """The earliest and the latest time of the update that each reading shows which moved.

    It came after the reading before, and by the reading itself. Where readings repeat, a sensor that keeps its period
    says more: less than a period before its value was seen last, and at most one after the value before was seen first.
    """
    shown = np.flatnonzero(moved)
    seen_ns, first_ns = t_ns[shown].astype(np.float64), np.concatenate(([-np.inf], t_ns[shown[:-1]]))
    before_ns = np.concatenate(([-np.inf], t_ns[shown[1:] - 1]))
    last_ns = np.concatenate((t_ns[shown[1:] - 1], t_ns[-1:]))
    within_ns = period_ns * (1 + LATEST * (channel.update_jitter or 0.0))
    earliest_ns = np.where(last_ns > seen_ns, np.maximum(before_ns, last_ns - within_ns), before_ns)
    repeated = (before_ns > first_ns) & (seen_ns - before_ns < period_ns)
    latest_ns = np.where(repeated, np.minimum(seen_ns, first_ns + within_ns), seen_ns)
    sound = earliest_ns <= latest_ns
    return np.where(sound, earliest_ns, before_ns), np.where(sound, latest_ns, seen_ns)


def _period_s(channel: Channel, t_ns: Ints, moved: npt.NDArray[np.bool_]) -> float | None:
    """As known of the sensor; else as seen, where it is slower than its sampling: joules that a sensor counts grow."""
    if channel.update_s is not None:
        return channel.update_s
    counted = channel.unit == "J" and channel.provenance is not Provenance.DERIVED
    if not counted or moved.sum() < 3 or moved.mean() > 1 - REPEATED:
        return None
    return float(np.median(np.diff(t_ns[moved]))) / NS_PER_S


def _age_s(period_s: float, jitter: float) -> tuple[float, float]:
    """Mean and standard deviation."""
    jitter = min(jitter, MOST_JITTER)
    mean, square = (1 + jitter**2) / 2, (1 + 3 * jitter**2) / 3
    return period_s * mean, period_s * sqrt(square - mean**2)
