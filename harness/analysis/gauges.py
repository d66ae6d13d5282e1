"""What gauges showed during the runs: utilisation, temperature, memory; time-weighted means, least and greatest."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from harness.energy.series import Series, gauge_integral, inside, seconds
from harness.records import ChannelKind
from harness.sampling import reading
from harness.store import Run

WATTS = "W"
GAUGE_COLUMNS = ["run_id", "gauge", "unit", "provenance", "mean", "min", "max"]


def gauge_costs(runs: Iterable[Run]) -> pd.DataFrame:
    """GAUGE_COLUMNS over the measured window (go to done) of each run.

    `gauge` is the channel's last word ("gpu_utilisation"): of several devices, the mean of their means, and the
    extremes of all. Power is left out, for its integral is energy. A channel that does not enclose the window has no
    mean, and makes that of its gauge unknown.
    """
    rows = [row for run in runs for one in _gauges(run) if (row := _row(run, one)) is not None]
    table = pd.DataFrame(rows, columns=GAUGE_COLUMNS).astype(dict.fromkeys(GAUGE_COLUMNS[4:], "float64"))
    grouped = table.groupby(GAUGE_COLUMNS[:4], sort=False)
    means = grouped["mean"].agg(lambda one: one.mean(skipna=False))
    return pd.concat([means, grouped["min"].min(), grouped["max"].max()], axis=1).reset_index()


def _gauges(run: Run) -> list[Series]:
    wanted = [one for one in run.record.channels if one.kind is ChannelKind.GAUGE and one.unit != WATTS]
    return reading.read(run.samples_path, wanted) if wanted else []


def _row(run: Run, one: Series) -> tuple[object, ...] | None:
    begin, end = run.record.go_ns, run.record.done_ns
    if begin is None or end is None or end <= begin:
        return None
    area, known = gauge_integral(one, begin, end), inside(one, begin, end)
    mean = None if area is None else area.value / seconds(begin, end)
    extremes = (known.min(), known.max()) if len(known) else (None, None)
    channel = one.channel
    name = channel.name.rpartition("/")[2]
    return run.record.planned.run_id, name, channel.unit, str(channel.provenance), mean, *extremes
