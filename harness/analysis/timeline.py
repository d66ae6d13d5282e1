"""One run over time: power, utilisation, temperature and memory, and where its epochs end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from harness.energy.series import NS_PER_S, Floats, Series
from harness.records import Channel, ChannelKind
from harness.sampling import reading
from harness.store import Run

NEARLY = 0.9  # of an update: clocks jitter
LEAST = 4  # readings: fewer are totals, not a course
POWER, BUSY_CPUS = "Power", "Busy CPUs"
GAUGES = {
    "gpu_utilisation": "GPU utilisation", "temperature": "Temperature", "memory_used": "GPU memory",
    "memory_peak": "Memory, highest so far",
}  # fmt: skip


@dataclass(frozen=True)
class Curve:
    """`t_s` since the run's measured window began; `values` in `unit`."""

    title: str
    unit: str
    provenance: str
    t_s: Floats
    values: Floats

    @property
    def mean(self) -> float:
        """Weighted with time."""
        return float(np.trapezoid(self.values, self.t_s) / (self.t_s[-1] - self.t_s[0]))

    def at(self, t_s: Floats) -> Floats:
        return np.asarray(np.interp(t_s, self.t_s, self.values))


def typical(runs: pd.DataFrame) -> str:
    """The run id with the median energy, or time where energies are unknown; the lower of two middle ones."""
    by = "energy_j" if runs["energy_j"].notna().all() else "duration_s"
    return str(runs.sort_values([by, "run_id"])["run_id"].iloc[(len(runs) - 1) // 2])


def curves(run: Run) -> list[Curve]:
    """Power of each domain of the run's energy first; what was read fewer than LEAST times has no course."""
    begin, end = run.record.go_ns, run.record.done_ns
    if begin is None or end is None:
        return []
    wanted = [(title, channel) for channel in run.record.channels if (title := _title(channel))]
    read = {
        one.channel.name: one for one in reading.read(run.samples_path, [channel for _, channel in wanted])
    }
    found: dict[str, list[Curve]] = {}
    for title, channel in wanted:
        if channel.name in read and (curve := _curve(title, read[channel.name], begin, end)):
            found.setdefault(title, []).append(curve)
    return [_together(many) for many in found.values()]


def epoch_ends_s(run: Run, phases: pd.DataFrame) -> pd.Series:
    """Seconds since the measured window began, by epoch: the end of its training. `phases`: PHASE_COLUMNS."""
    mine = phases[(phases["run_id"] == run.record.planned.run_id) & (phases["phase"] == "train")].dropna(
        subset=["epoch"]
    )
    ends_ns = mine.set_index("epoch")["end_ns"].astype("int64")
    return ((ends_ns - (run.record.go_ns or 0)) / NS_PER_S).sort_index()


def phase_begins_s(run: Run, phases: pd.DataFrame) -> pd.Series:
    """Seconds since the measured window began, by phase, in order: where it first begins. `phases`: PHASE_COLUMNS.

    What begins before the window is no part of it.
    """
    mine = phases[phases["run_id"] == run.record.planned.run_id]
    begins_ns = mine.groupby("phase")["begin_ns"].min().astype("int64")
    begins_s = (begins_ns - (run.record.go_ns or 0)) / NS_PER_S
    return begins_s[begins_s >= 0].sort_values()


def _title(channel: Channel) -> str:
    """What a channel's curve is called; empty for those without one."""
    if channel.boundary and channel.unit in ("J", "W"):
        return f"{POWER}, {channel.domain}"
    if channel.name == "process/cpu_time":
        return BUSY_CPUS
    return GAUGES.get(channel.name.rpartition("/")[2], "")


def _curve(title: str, one: Series, begin_ns: int, end_ns: int) -> Curve | None:
    """A gauge's readings, or a counter's growth per second between its readings, inside the measured window."""
    inside = (one.t_ns >= begin_ns) & (one.t_ns <= end_ns)
    t_s, values = (one.t_ns[inside] - begin_ns) / NS_PER_S, one.values[inside]
    unit = {"J": "W", "s": ""}.get(one.channel.unit, one.channel.unit)
    if one.channel.kind is ChannelKind.COUNTER:
        if one.channel.update_s:
            t_s, values = _updated(t_s, values, one.channel.update_s)
        steps = np.diff(t_s)
        moved = steps > 0
        t_s, values = (t_s[:-1] + steps / 2)[moved], np.diff(values)[moved] / steps[moved]
    if len(t_s) < LEAST:
        return None
    return Curve(title, unit, str(one.channel.provenance), t_s, values)


def _updated(t_s: Floats, values: Floats, update_s: float) -> tuple[Floats, Floats]:
    """The readings of a counter that do not repeat the one before, and lie about an update apart at least.

    Between two updates it grows by nothing, and then by all at once: no machine drew 0 W, nor twice as many.
    """
    kept = np.flatnonzero(np.diff(values, prepend=np.nan) != 0)
    while (close := np.diff(t_s[kept]) < NEARLY * update_s).any():
        first = close & ~np.concatenate([[False], close[:-1]])  # of several on end, every other one
        kept = np.delete(kept, np.flatnonzero(first) + 1)
    return t_s[kept], values[kept]


def _together(many: list[Curve]) -> Curve:
    """Of several packages or devices: watts and bytes add up, of all else the mean; at the first's times."""
    first = many[0]
    if len(many) == 1:
        return first
    values = np.sum([one.at(first.t_s) for one in many], axis=0)
    added = first.unit in ("W", "bytes")
    kinds = {one.provenance for one in many}
    provenance = first.provenance if len(kinds) == 1 else f"mixed: {', '.join(sorted(kinds))}"
    return Curve(first.title, first.unit, provenance, first.t_s, values if added else values / len(many))
