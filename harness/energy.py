"""From raw samples to joules, seconds and watts of any interval; pure.

Counters are unwrapped by their own range and interpolated at the borders of the interval (rule R1); a counter
that does not cover the whole interval has no energy there, never 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from harness.records import Channel, ChannelKind, Provenance

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

NS_PER_S = 1e9


@dataclass(frozen=True)
class Series:
    """One channel's samples: times in CLOCK_MONOTONIC ns, values in the channel's unit, in order of time."""

    channel: Channel
    t_ns: Ints
    values: Floats


@dataclass(frozen=True)
class Energy:
    """Joules of an interval, or None with the reason; `domains` holds the addends."""

    energy_j: float | None
    provenance: Provenance | None
    domains: dict[str, float]
    reason: str = ""


def series_of(samples: pd.DataFrame, channels: Sequence[Channel]) -> list[Series]:
    """Splits long samples (t_ns, channel, value) by channel; counters come out unwrapped."""
    groups = {str(name): group for name, group in samples.groupby("channel", observed=True)}
    return [_series(channel, groups[channel.name]) for channel in channels if channel.name in groups]


def _series(channel: Channel, group: pd.DataFrame) -> Series:
    t_ns = group["t_ns"].to_numpy(dtype=np.int64)
    values = group["value"].to_numpy(dtype=np.float64)
    if channel.kind is ChannelKind.COUNTER and channel.wraps_at is not None:
        values = unwrap(values, channel.wraps_at)
    return Series(channel, t_ns, values)


def unwrap(readings: Floats, wraps_at: float) -> Floats:
    """A counter's readings modulo its range -> its cumulative growth from the first reading on.

    Right as long as no two readings lie a whole range apart (kernel: max_energy_range_uj is the modulus).
    """
    if len(readings) == 0:
        return readings
    growth = np.mod(np.diff(readings), wraps_at)
    return np.concatenate(([0.0], np.cumsum(growth)))


def counter_increase(series: Series, begin_ns: int, end_ns: int) -> float | None:
    """Growth of a counter over an interval, in its unit; None where the samples do not enclose the interval."""
    if len(series.t_ns) < 2 or begin_ns < series.t_ns[0] or end_ns > series.t_ns[-1]:
        return None
    at = np.interp([begin_ns, end_ns], series.t_ns, series.values)
    return float(at[1] - at[0])


def run_energy(series: Sequence[Series], channels: Sequence[Channel], begin_ns: int, end_ns: int) -> Energy:
    """The energy inside the run's boundary: the sum over its channels, or the reason why there is none."""
    wanted = [channel for channel in channels if channel.boundary]
    if not wanted:
        return Energy(None, None, {}, "no energy channel on this machine")
    by_name = {one.channel.name: one for one in series}
    increases = {c.name: _increase(by_name.get(c.name), begin_ns, end_ns) for c in wanted}
    missing = [name for name, value in increases.items() if value is None]
    if missing:
        return Energy(None, None, {}, f"{', '.join(missing)} did not cover the interval")
    return _sum(wanted, {name: value for name, value in increases.items() if value is not None})


def _increase(series: Series | None, begin_ns: int, end_ns: int) -> float | None:
    return None if series is None else counter_increase(series, begin_ns, end_ns)


def _sum(channels: Sequence[Channel], increases: dict[str, float]) -> Energy:
    provenances = {channel.provenance for channel in channels}
    if len(provenances) > 1:
        return Energy(None, None, {}, f"provenances mixed: {', '.join(sorted(provenances))}")
    domains: dict[str, float] = {}
    for channel in channels:
        domains[channel.domain] = domains.get(channel.domain, 0.0) + increases[channel.name]
    return Energy(sum(domains.values()), provenances.pop(), domains)


def gauge_peak(series: Series, begin_ns: int, end_ns: int) -> float | None:
    """The largest reading inside an interval; None without one."""
    inside = (series.t_ns >= begin_ns) & (series.t_ns <= end_ns)
    return float(series.values[inside].max()) if inside.any() else None


def seconds(begin_ns: int, end_ns: int) -> float:
    return (end_ns - begin_ns) / NS_PER_S
