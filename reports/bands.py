"""A long series in few rows that hide no peak: of each slice of time the least, the greatest and the mean value."""

from __future__ import annotations

import numpy as np
import pandas as pd

from harness.energy.series import Floats


def banded(rows: pd.DataFrame, series: str, time: str, value: str, slices: int) -> pd.DataFrame:
    """Columns `series`, `time` (the middle of a slice), low, high, mean (weighted with time): at most `slices` each.

    A series of so few readings stays as it is: each is its own slice. rows: in order of `time` (any number) within each
    series; nulls in `value` are left out. Weighted by the time of each slice, the means give the integral under the
    series (the trapezoidal rule), so that the drawn line has the energy of the readings.
    """
    known = rows.dropna(subset=[time, value])
    found = [
        _sliced(one[time].to_numpy(float), one[value].to_numpy(float), slices).assign(**{series: name})
        for name, one in known.groupby(series, sort=False)
    ]
    columns = [series, "t", "low", "high", "mean"]
    table = pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=columns)
    return table[columns].rename(columns={"t": time})


def weights_of(t: Floats) -> Floats:
    """The time that each reading stands for: half of the gaps beside it. A single reading stands for itself."""
    gaps = np.diff(t)
    weights = (np.append(gaps, 0.0) + np.insert(gaps, 0, 0.0)) / 2
    return weights if weights.any() else np.ones_like(t)


def _sliced(t: Floats, values: Floats, slices: int) -> pd.DataFrame:
    frame = pd.DataFrame({"t": t, "value": values, "weight": weights_of(t)})
    grouped = frame.assign(product=frame["value"] * frame["weight"]).groupby(_places(t, slices))
    spans, sums = grouped["t"].agg(["min", "max"]), grouped[["product", "weight"]].sum()
    extremes = grouped["value"].agg(["min", "max"])
    mean = (sums["product"] / sums["weight"]).where(sums["weight"] > 0, grouped["value"].mean())
    low, high = extremes["min"], extremes["max"]
    middle = spans.mean(axis=1)
    return pd.DataFrame({"t": middle, "low": low, "high": high, "mean": mean.clip(low, high)})


def _places(t: Floats, slices: int) -> np.ndarray:
    """Of each reading the slice that it lies in."""
    if len(t) <= slices:
        return np.arange(len(t))
    share = (t - t[0]) / max(t[-1] - t[0], 1e-300)
    return np.asarray(np.minimum((share * slices).astype(int), slices - 1))
