"""The energy inside a run's boundary as intervals between its meters' updates; pure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from harness.attribution.powers import Intervals
from harness.energy.series import NS_PER_S, Floats, Ints, Series
from harness.records import ChannelKind


def intervals(addends: Sequence[Series], begin_ns: int, end_ns: int) -> Intervals:
    """Of several meters the slowest one's updates: between them the others tell what it cannot."""
    slowest = min(addends, key=lambda one: len(one.updates.t_ns))
    inside = slowest.updates.t_ns[(slowest.updates.t_ns > begin_ns) & (slowest.updates.t_ns < end_ns)]
    borders = np.unique(np.concatenate([[begin_ns], inside, [end_ns]])).astype(np.int64)
    return Intervals(borders, np.sum([np.diff(_until_j(one, borders)) for one in addends], axis=0))


def _until_j(series: Series, at_ns: Ints) -> Floats:
    """Joules up to each time, from anywhere: of a counter as it stands, of a gauge by trapezoids."""
    t_ns, values = series.updates.t_ns, series.updates.values
    if series.channel.kind is ChannelKind.COUNTER:
        return np.asarray(np.interp(at_ns, t_ns, values))
    steps = np.diff(t_ns) / NS_PER_S * (values[1:] + values[:-1]) / 2
    return np.asarray(np.interp(at_ns, t_ns, np.concatenate([[0.0], np.cumsum(steps)])))
