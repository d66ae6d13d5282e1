"""Where a meter cannot be right: a counter of joules that ran backwards or stood still, impossible power; pure.

A register that is reset looks like one that went round, a reading that is too low for a moment like two rounds: both
imply far more power than the domain can draw (harness.energy.power_limits). A register that stops looks like rest, but
hardware that is switched on never draws nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from harness.energy.power_limits import ceiling_w, floor_w
from harness.energy.series import NS_PER_S, Floats, Ints, Series, seconds
from harness.records import Channel, ChannelKind

STAMP_S = 0.02  # a reading's time is the middle of its call, which the scheduler may interrupt
LATE_UPDATES = 2.0  # of a jittering sensor may fall into one gap beside its own
LONG_S = 1.0  # a gap in which a reset could look like a wrap at a power that is possible
LUCK = 0.05  # of the range: a reset register looks, one time in twenty, as if it had grown by no more
MOST_TIMES = 3.0  # the highest power elsewhere in the recording
MISSED_UPDATES = 10.0
STILL_S = 1.0  # at least, whatever the period: ten readings at 10 Hz
UNKNOWN_PERIOD_S = (
    1.0  # what does not move within a second at start-up is no addend (harness.meters.rapl_probe)
)
STOOD_STILL = "it stood still"
ENOUGH_STEPS, WHOLE = 5, 1e-3
USUAL_SHARE = 0.9  # of the times between changes are no longer than the usual one

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Breach:
    """Two readings between which a channel cannot be right, and why; `power_w` is what they imply."""

    channel: Channel
    begin_ns: int
    end_ns: int
    before: float
    after: float
    power_w: float
    why: str

    def overlaps(self, begin_ns: int, end_ns: int) -> bool:
        return self.begin_ns < end_ns and self.end_ns > begin_ns


def breaches(series: Series) -> list[Breach]:
    """Of a counter in joules, or an addend in watts, all over its recording, in order of time; none of any other.

    Other gauges may be negative (a battery that is charged), and a GPU's are a second opinion beside its counter.
    """
    if series.channel.unit == "W":
        return list(_impossible_power(series)) if series.channel.boundary else []
    if not _counts_joules(series):
        return []
    found = [*_impossible(series), *(_stood_still(series) if series.channel.boundary else ())]
    return sorted(found, key=lambda one: one.begin_ns)


def at_rest(series: Series, begin_ns: int, end_ns: int) -> Breach | None:
    """An addend that shows no joule over an interval of two periods or more: nothing that is on draws 0 W."""
    inside = (series.t_ns >= begin_ns) & (series.t_ns <= end_ns)
    if not series.channel.boundary or inside.sum() < 2:
        return None
    if series.channel.unit == "W":
        rests = not series.values[inside].any()
    else:
        long_enough = seconds(begin_ns, end_ns) >= 2 * _step_s(series)
        rests = _counts_joules(series) and long_enough and not np.ptp(series.values[inside])
    value = float(series.readings[inside][0])
    return Breach(series.channel, begin_ns, end_ns, value, value, 0.0, STOOD_STILL) if rests else None


def _counts_joules(series: Series) -> bool:
    channel = series.channel
    return channel.unit == "J" and channel.kind is ChannelKind.COUNTER and len(series.t_ns) > 1


def _impossible_power(series: Series) -> Iterator[Breach]:
    """Readings of a gauge that are negative, or more than the domain can draw."""
    most_w = ceiling_w(series.channel.domain)
    for at in np.flatnonzero((series.values < 0) | (series.values > most_w)):
        before, after = max(0, int(at) - 1), min(len(series.t_ns) - 1, int(at) + 1)
        why = f"{series.channel.domain} draws at most {most_w:g} W, and no less than 0"
        ends_ns, value = (int(series.t_ns[before]), int(series.t_ns[after])), float(series.values[at])
        yield Breach(series.channel, *ends_ns, float(series.values[before]), value, value, why)


def longest_rest(series: Series, begin_ns: int, end_ns: int) -> tuple[int, int]:
    """The longest stretch of an interval over which every reading is the very same, ns; empty without two readings."""
    spans = [
        (max(begin_ns, int(series.t_ns[first])), min(end_ns, int(series.t_ns[last])))
        for first, last in _still(series)
    ]
    return max(spans, key=lambda span: span[1] - span[0], default=(begin_ns, begin_ns))


def _impossible(series: Series) -> Iterator[Breach]:
    """Every gap whose growth is negative, or more than the domain can draw, or in no keeping with the rest."""
    growth, widths_s = np.diff(series.values), np.diff(series.t_ns) / NS_PER_S
    most_w, slack_s = ceiling_w(series.channel.domain), _slack_s(series)
    backwards = growth < 0
    beyond = growth > most_w * (widths_s + slack_s) + (series.channel.resolution or 0.0)
    unvouched = _unvouched(series, growth, widths_s, slack_s) & ~backwards & ~beyond
    for gap in np.flatnonzero(backwards):
        yield _breach(series, int(gap), "a counter without a known range ran backwards")
    for gap in np.flatnonzero(beyond):
        yield _breach(series, int(gap), f"{series.channel.domain} draws at most {most_w:g} W")
    for gap in np.flatnonzero(unvouched):
        yield _breach(
            series,
            int(gap),
            "so much power is seen nowhere else: over so long a gap, a reset cannot be told from a wrap",
        )


def _slack_s(series: Series) -> float:
    """A reading shows what was true up to an update ago, so that a gap may hold more than its own time."""
    update_s = series.channel.update_s
    late_s = min(LONG_S, usual_period_s(series)) if update_s is None else LATE_UPDATES * update_s
    return STAMP_S + late_s


def _unvouched(series: Series, growth: Floats, widths_s: Floats, slack_s: float) -> Bools:
    """Long gaps whose reading fell, though a wrap's power is seen nowhere else: the register may have been reset."""
    luck_j = LUCK * (series.channel.wraps_at or np.inf)
    fell = (widths_s > LONG_S) & (np.diff(series.readings) < 0) & (growth > luck_j)
    if not fell.any():
        return fell
    powers_w = _by_second_w(growth[~fell], widths_s[~fell])
    most_w = MOST_TIMES * powers_w.max() if len(powers_w) else 0.0
    return np.asarray(fell & (growth > most_w * (widths_s + slack_s)))


def _by_second_w(growth: Floats, widths_s: Floats) -> Floats:
    """Mean powers over stretches of at least about a second; empty where all of it is shorter."""
    second = np.floor(np.cumsum(widths_s) / LONG_S).astype(np.int64)
    length_s, energy_j = np.bincount(second, widths_s), np.bincount(second, growth)
    whole = length_s > LONG_S / 2
    return np.asarray(energy_j[whole] / length_s[whole])


def _breach(series: Series, gap: int, why: str) -> Breach:
    begin_ns, end_ns = int(series.t_ns[gap]), int(series.t_ns[gap + 1])
    growth = float(series.values[gap + 1] - series.values[gap])
    power_w = growth / max((end_ns - begin_ns) / NS_PER_S, 1e-9)
    before, after = float(series.readings[gap]), float(series.readings[gap + 1])
    return Breach(series.channel, begin_ns, end_ns, before, after, power_w, why)


def _stood_still(series: Series) -> Iterator[Breach]:
    """An addend that does not move for much longer than it usually takes."""
    allowed_s = still_allowed_s(series)
    for first, last in _still(series):
        begin_ns, end_ns = int(series.t_ns[first]), int(series.t_ns[last])
        if (end_ns - begin_ns) / NS_PER_S > allowed_s:
            value = float(series.readings[first])
            yield Breach(series.channel, begin_ns, end_ns, value, value, 0.0, STOOD_STILL)


def _still(series: Series) -> Ints:
    """First and last reading of each stretch of equal ones, shape (stretches, 2)."""
    same = np.diff(series.values) == 0
    borders = np.flatnonzero(np.diff(np.concatenate(([False], same, [False])).astype(np.int8)))
    return borders.reshape(-1, 2)


def still_allowed_s(series: Series) -> float:
    """How long a counter may rest: ten of its usual periods, or one step of its resolution at next to no power."""
    return max(STILL_S, MISSED_UPDATES * usual_period_s(series), _step_s(series))


def _step_s(series: Series) -> float:
    """The longest between two steps of a sound counter."""
    return max(usual_period_s(series), _unit_j(series) / floor_w(series.channel.domain))


def _unit_j(series: Series) -> float:
    """The smallest step, as known or as seen: all growth is in whole steps, of one and of more; 0 if neither."""
    growth = np.diff(series.values)
    steps = growth[growth > 0]
    if series.channel.resolution or len(steps) < ENOUGH_STEPS:
        return series.channel.resolution or 0.0
    multiples = steps / steps.min()
    coarse = np.abs(multiples - multiples.round()).max() < WHOLE and multiples.max() > 1.5
    return float(steps.min()) if coarse else 0.0


def usual_period_s(series: Series) -> float:
    """Between changes: the sensor's own period, or what nine tenths of those seen here keep to if that is longer."""
    changed_ns = series.t_ns[1:][np.diff(series.values) != 0]
    between_s = np.diff(changed_ns) / NS_PER_S
    known_s = series.channel.update_s
    if not len(between_s):
        return UNKNOWN_PERIOD_S if known_s is None else known_s
    return max(known_s or 0.0, float(np.quantile(between_s, USUAL_SHARE, method="lower")))
