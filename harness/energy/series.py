"""Raw samples as series: counters unwrapped and interpolated, gauges integrated, each with its uncertainty; pure.

The uncertainty of a counter's growth over an interval, as a standard deviation, is composed at each border of
  - interpolation: between two readings the counter grew by D, at fraction f of the gap. Power that varies from gap
    to gap as it does around this one (standard deviation S of a gap's energy) leaves S x sqrt(f(1-f)), the spread
    of a random walk pinned at both ends; power that varies within each gap alike leaves K x D x 2 sqrt(f(1-f));
  - staleness: a reading shows what was true at the sensor's last update (harness.energy.staleness): power x the
    standard deviation of the time since then (its mean is taken off the time stamps);
  - resolution r of the reading: uniform, r / sqrt(12).
Both borders add in quadrature. It says nothing of the sensor's own accuracy, which no software can know (rule R10).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import hypot, sqrt

import numpy as np

from harness.counters import growth_between
from harness.energy.staleness import NS_PER_S as NS_PER_S
from harness.energy.staleness import UNIFORM, Updates, updates
from harness.energy.staleness import Floats as Floats
from harness.energy.staleness import Ints as Ints
from harness.records import Channel, ChannelKind

COVERAGE = 1.96  # standard deviations for 95 %
WITHIN_GAP = 0.08  # K above: the least that covers bursts of 2 to 40 ms sampled at 10 Hz
MISSING = 3  # times the usual gap between two readings of a gauge: some are missing
LATE = 1 / sqrt(3)  # of a period, by which a gauge's readings may trail: uniformly from none of it to all
NEIGHBOURS = 5  # updates to either side that tell how power varies here


@dataclass(frozen=True)
class Amount:
    """A quantity and the half-width of its 95 % interval, in the same unit; None, never 0, where nothing tells it."""

    value: float
    uncertainty: float | None


@dataclass(frozen=True)
class Series:
    """One channel's samples: times in CLOCK_MONOTONIC ns, values in the channel's unit, in order of time.

    Values of a counter that wraps are its growth since the first reading; `raw` keeps what was read.
    """

    channel: Channel
    t_ns: Ints
    values: Floats
    raw: Floats | None = None

    @property
    def readings(self) -> Floats:
        return self.values if self.raw is None else self.raw

    @cached_property
    def updates(self) -> Updates:
        """Of a counter."""
        return updates(self.channel, self.t_ns, self.values)


def series(channel: Channel, t_ns: Ints, readings: Floats) -> Series:
    """A channel's raw readings in order of time; those of a counter come out unwrapped."""
    if channel.kind is ChannelKind.COUNTER and channel.wraps_at is not None:
        return Series(channel, t_ns, unwrap(readings, channel.wraps_at), readings)
    return Series(channel, t_ns, readings)


def unwrap(readings: Floats, wraps_at: float) -> Floats:
    """A counter's readings modulo its range -> its cumulative growth from the first reading on.

    Right as long as no two readings lie a whole range apart (kernel: max_energy_range_uj is the modulus).
    """
    if len(readings) == 0:
        return readings
    grown = growth_between(readings[:-1], readings[1:], wraps_at)
    return np.concatenate(([0.0], np.cumsum(grown)))


def wrap_hidden(series: Series, max_power_w: float) -> bool:
    """Whether two readings lie so far apart that the counter may have gone round unseen (rule R1)."""
    if series.channel.wraps_at is None or len(series.t_ns) < 2:
        return False
    longest_s = float(np.diff(series.t_ns).max()) / NS_PER_S
    return longest_s * max_power_w >= series.channel.wraps_at


def counter_increase(series: Series, begin_ns: int, end_ns: int) -> float | None:
    """Growth of a counter over an interval, without its uncertainty."""
    found = increase(series, begin_ns, end_ns)
    return None if found is None else found.value


def increase(series: Series, begin_ns: int, end_ns: int) -> Amount | None:
    """Growth of a counter over an interval; None where the readings do not enclose the interval."""
    if len(series.t_ns) < 2 or begin_ns < series.t_ns[0] or end_ns > series.t_ns[-1]:
        return None
    (begin, begin_spread), (end, end_spread) = _border(series, begin_ns), _border(series, end_ns)
    return Amount(end - begin, COVERAGE * hypot(begin_spread, end_spread) or None)


def _border(series: Series, at_ns: int) -> tuple[float, float]:
    """The counter at one moment, and the standard deviation of that."""
    seen = series.updates
    gap = int(np.clip(np.searchsorted(seen.t_ns, at_ns, side="right") - 1, 0, len(seen.t_ns) - 2))
    near = slice(max(0, gap - NEIGHBOURS), gap + NEIGHBOURS + 2)
    widths_ns, growths = np.diff(seen.t_ns[near]), np.diff(seen.values[near])
    here = min(gap, NEIGHBOURS)
    power = np.divide(growths, widths_ns, out=np.zeros(len(growths)), where=widths_ns > 0)  # unit / ns
    width_ns, growth = float(widths_ns[here]), float(growths[here])
    fraction = (at_ns - int(seen.t_ns[gap])) / width_ns if width_ns > 0 else 0.0
    spread = sqrt(abs(fraction * (1 - fraction)))
    interpolation = spread * hypot(_spread(power) * width_ns, 2 * WITHIN_GAP * growth)
    unsure_ns = abs(1 - fraction) * seen.spread_ns[gap] + abs(fraction) * seen.spread_ns[gap + 1]
    staleness = float(power.mean()) * float(unsure_ns)
    resolution = (series.channel.resolution or 0.0) * UNIFORM
    value = float(seen.values[gap]) + fraction * growth
    return value, hypot(interpolation, staleness, resolution)


def _spread(power: Floats) -> float:
    return float(power.std(ddof=1)) if len(power) > 1 else 0.0


def gauge_integral(series: Series, begin_ns: int, end_ns: int) -> Amount | None:
    """The integral of a gauge over an interval by trapezoids, in its unit x seconds; None if not enclosed.

    Its uncertainty: the spread of the readings around their neighbours, as independent errors of the trapezoids;
    at each border, for a gauge that averages over u seconds, the power that it has not shown yet, and between both
    what it shows too late of a change; the rounding of the readings, which may be the same all the time; and gaps in
    which readings are missing.
    """
    if len(series.t_ns) < 2 or begin_ns < series.t_ns[0] or end_ns > series.t_ns[-1]:
        return None
    between = (series.t_ns > begin_ns) & (series.t_ns < end_ns)
    t_ns = np.concatenate(([begin_ns], series.t_ns[between], [end_ns]))
    values = np.interp(t_ns, series.t_ns, series.values)
    widths_s = np.diff(t_ns) / NS_PER_S
    integral = float(np.sum(widths_s * (values[:-1] + values[1:]) / 2))
    trapezoids = UNIFORM * float(np.sqrt(np.sum((widths_s * np.diff(values)) ** 2)))
    unseen = hypot(_unseen(series, begin_ns), _unseen(series, end_ns))
    rounded = UNIFORM * (series.channel.resolution or 0.0) * seconds(begin_ns, end_ns)
    late = LATE * (series.channel.update_s or 0.0) * float(abs(values[-1] - values[0]))
    missed = _missed(widths_s, values)
    return Amount(integral, COVERAGE * hypot(trapezoids, unseen, late, rounded, missed) or None)


def _missed(widths_s: Floats, values: Floats) -> float:
    """Where readings are missing, power may have been anything from none to twice what its borders show."""
    usual_s = float(np.median(widths_s))
    energies = widths_s * (np.abs(values[:-1]) + np.abs(values[1:])) / 2
    return UNIFORM * float(np.sqrt(np.square(2 * energies[widths_s > MISSING * usual_s]).sum()))


def _unseen(series: Series, at_ns: int) -> float:
    """The average over u seconds trails what it averages by u / 2: half of u times the change within u."""
    update_s = series.channel.update_s or 0.0
    ends = np.interp([at_ns - update_s * NS_PER_S, at_ns + update_s * NS_PER_S], series.t_ns, series.values)
    return update_s / 2 * float(abs(ends[1] - ends[0]))


def inside(series: Series, begin_ns: int, end_ns: int) -> Floats:
    """The readings of an interval."""
    return series.values[(series.t_ns >= begin_ns) & (series.t_ns <= end_ns)]


def gauge_peak(series: Series, begin_ns: int, end_ns: int) -> float | None:
    """The largest reading inside an interval; None without one."""
    values = inside(series, begin_ns, end_ns)
    return float(values.max()) if len(values) else None


def seconds(begin_ns: int, end_ns: int) -> float:
    return (end_ns - begin_ns) / NS_PER_S
