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
    begins = np.flatnonzero(np.diff(_places(t, slices), prepend=-1))
    ends, weights = np.append(begins[1:], len(t)), weights_of(t)
    low, high = np.minimum.reduceat(values, begins), np.maximum.reduceat(values, begins)
    whole, sums = np.add.reduceat(weights, begins), np.add.reduceat(values * weights, begins)
    plain = np.add.reduceat(values, begins) / (ends - begins)
    mean = np.divide(sums, whole, out=plain, where=whole > 0)
    middle = (t[begins] + t[ends - 1]) / 2
    return pd.DataFrame({"t": middle, "low": low, "high": high, "mean": mean.clip(low, high)})


def _places(t: Floats, slices: int) -> np.ndarray:
    """Of each reading the slice that it lies in."""
    if len(t) <= slices:
        return np.arange(len(t))
    share = (t - t[0]) / max(t[-1] - t[0], 1e-300)
    return np.asarray(np.minimum((share * slices).astype(int), slices - 1))
