"""What a sample of runs looks like, before anything is concluded from it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy

from harness.analysis.verdict import Floats

QUANTILES = (0.05, 0.25, 0.75, 0.95)
DESCRIPTION_COLUMNS = [
    "n", "mean", "sd", "geometric_mean", "geometric_sd", "median", "min", "q05", "q25", "q75", "q95", "max",
    "shapiro_w", "shapiro_p",
]  # fmt: skip


class Normality(NamedTuple):
    """Shapiro and Wilk's W and p; None below three values, or where all are alike."""

    w: float | None
    p: float | None


def shapiro(values: Floats) -> Normality:
    """Reported, never used to choose a test silently (rule R32). With few runs it rejects hardly anything."""
    if len(values) < 3 or np.ptp(values) == 0:
        return Normality(None, None)
    found = scipy.stats.shapiro(values)
    return Normality(float(found.statistic), float(found.pvalue))


def describe(values: pd.Series) -> pd.Series:
    """DESCRIPTION_COLUMNS of the known values; what cannot be known is null.

    sd: of a sample (n - 1); geometric sd: a factor, null with the geometric mean where a value is not positive.
    Quantiles interpolate linearly (R's type 7).
    """
    return pd.Series(described(values), index=DESCRIPTION_COLUMNS).astype("float64")


def described(values: pd.Series) -> list[float | None]:
    """`describe` as plain numbers: tables of thousands make one frame of them."""
    known = values.to_numpy(dtype=np.float64, na_value=np.nan)
    known = known[~np.isnan(known)]
    if not len(known):
        return [0, *[None] * (len(DESCRIPTION_COLUMNS) - 1)]
    logs = np.log(known) if (known > 0).all() else np.full(len(known), np.nan)
    low, *inner, high = np.quantile(known, (0, *QUANTILES, 1))
    numbers = (len(known), known.mean(), _sd(known), np.exp(logs.mean()), np.exp(_sd(logs)), np.median(known))
    return [*map(float, (*numbers, low, *inner, high)), *shapiro(known)]


def descriptions(frame: pd.DataFrame, by: list[str], quantities: list[str]) -> pd.DataFrame:
    """One row per group and quantity: `by`, quantity, DESCRIPTION_COLUMNS."""
    long = frame.melt(id_vars=by, value_vars=quantities, var_name="quantity")
    rows = [[*key, *described(part["value"])] for key, part in long.groupby([*by, "quantity"], sort=False)]
    found = pd.DataFrame(rows, columns=[*by, "quantity", *DESCRIPTION_COLUMNS])
    return found.astype(dict.fromkeys(DESCRIPTION_COLUMNS, "float64"))


def _sd(values: Floats) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else float("nan")
