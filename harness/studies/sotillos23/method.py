"""Per-epoch values as the authors defined them, and as the campaign's own arithmetic gives them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from harness.energy.series import NS_PER_S, Series, gauge_integral
from harness.importers.base import Imported, ImportedRun
from suite.protocol import Event

KEY = ["framework", "dataset", "model", "batch_size"]
GAUGES = {
    "power": "power", "temp": "temperature", "mem_used": "memory_used", "gpu_util": "gpu_utilisation",
    "mem_util": "memory_utilisation",
}  # fmt: skip
METRICS = ["precision", "recall", "accuracy", "f1"]
CUT = ["precision", "recall", "f1"]  # rounded by the authors before anything else
MEANS = [*GAUGES, "total_time", *METRICS]
INTEGRALS = {
    "integral_j": "power",
    "integral_util_s": "gpu_utilisation",
}  # of gauges, in their unit x seconds
UNITS = {
    "power": "W", "temp": "degC", "mem_used": "MiB", "gpu_util": "%", "mem_util": "%", "total_time": "s", "energy": "J"
}  # fmt: skip
BYTES_PER_MIB = 2.0**20
DECIMALS = 3


def epochs_of(imported: Imported) -> pd.DataFrame:
    """One row per run and epoch: KEY, run, epoch_number, MEANS over the epoch's readings, and INTEGRALS over its time.

    Means are taken over as many copies of a value as the epoch has readings, as in the authors' join of both files:
    it decides how the last of three decimals is rounded.
    """
    rows = pd.concat([_samples(run) for run in imported.runs], ignore_index=True)
    columns = [*MEANS, *INTEGRALS]
    return rows.groupby([*KEY, "run", "epoch_number"], sort=True)[columns].mean().reset_index()


def _samples(run: ImportedRun) -> pd.DataFrame:
    """Every reading inside an epoch, with that epoch's duration and metrics. A reading at an end belongs to it."""
    by_name = {one.channel.name.rpartition("/")[2]: one for one in run.series}
    power = by_name["power"]
    spans = _spans(run.events)
    ends_ns = np.array([end for _, end in spans])
    epoch = np.searchsorted(ends_ns, power.t_ns, side="left")
    inside = epoch < len(spans)
    told = _told(run, by_name, spans)
    frame = told.iloc[epoch[inside]].reset_index(drop=True)
    gauges = {name: by_name[channel].values[inside] for name, channel in GAUGES.items()}
    frame = frame.assign(**gauges, run=run.repetition, **_key(run))
    return frame.assign(mem_used=frame["mem_used"] / BYTES_PER_MIB)


def _spans(events: tuple[Event, ...]) -> list[tuple[int, int]]:
    edges = {edge: [e.t_ns for e in events if e.data.get("edge") == edge] for edge in ("begin", "end")}
    return list(zip(edges["begin"], edges["end"], strict=True))


def _told(run: ImportedRun, series: dict[str, Series], spans: list[tuple[int, int]]) -> pd.DataFrame:
    """One row per epoch: its metrics, its duration to the millisecond, and the integrals over it."""
    metrics = [event.data["values"] for event in run.events if event.kind == "metrics"]
    frame = pd.DataFrame(metrics)[METRICS].assign(epoch_number=range(1, len(metrics) + 1))
    frame[CUT] = frame[CUT].round(DECIMALS)
    durations_s = [round((end - begin) / NS_PER_S, DECIMALS) for begin, end in spans]
    integrals = {
        name: [_integral(series[gauge], *span) for span in spans] for name, gauge in INTEGRALS.items()
    }
    return frame.assign(total_time=durations_s, **integrals)


def _integral(gauge: Series, begin_ns: int, end_ns: int) -> float:
    found = gauge_integral(gauge, begin_ns, end_ns)
    return np.nan if found is None else found.value


def _key(run: ImportedRun) -> dict[str, Any]:
    one = run.treatment
    return {
        "framework": one.framework,
        "dataset": one.dataset,
        "model": f"resnet{one.settings['depth']}",
        "batch_size": one.settings["batch_size"],
    }


def ours(epochs: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Energy, power, utilisation and accuracy of an epoch or a training: integrals per run, then means of the runs."""
    runs = epochs.sort_values("epoch_number").groupby([*by, "run"])
    sums = runs[[*INTEGRALS, "total_time"]].sum(min_count=1)
    each = pd.DataFrame(
        {
            "energy": sums["integral_j"],
            "power": sums["integral_j"] / sums["total_time"],
            "gpu_util": sums["integral_util_s"] / sums["total_time"],
            "accuracy": runs["accuracy"].last(),
        }
    )
    return each.groupby(by).mean().reset_index()


def theirs(epochs: pd.DataFrame) -> pd.DataFrame:
    """KEY, epoch_number, MEANS and `energy`: averaged over the runs, rounded, then multiplied and rounded again."""
    found = epochs.groupby([*KEY, "epoch_number"], sort=True)[MEANS].mean().round(DECIMALS).reset_index()
    return found.assign(energy=(found["total_time"] * found["power"]).round(DECIMALS))
