"""The shape of a sample: where its values are dense, as the outline of a violin."""

from __future__ import annotations

import numpy as np
import pandas as pd
import scipy

LEAST = 5  # values: fewer have no shape worth a curve
POINTS = 21  # of an outline, one for about ten CSS pixels
DENSITY_COLUMNS = ["value", "share"]


def density(values: pd.Series, points: int = POINTS) -> pd.DataFrame:
    """DENSITY_COLUMNS from the smallest to the largest value: the density as a share of its own maximum.

    Gaussian kernels of Scott's width (Scott 1992, Multivariate Density Estimation); it is not drawn beyond the values
    seen. Empty below LEAST values, and where all are alike.
    """
    known = values.dropna().to_numpy(dtype=np.float64)
    if len(known) < LEAST or np.ptp(known) <= np.spacing(np.abs(known).max()) * len(known):
        return pd.DataFrame(columns=DENSITY_COLUMNS, dtype="float64")
    at = np.linspace(known.min(), known.max(), points)
    found = scipy.stats.gaussian_kde(known)(at)
    return pd.DataFrame({"value": at, "share": found / found.max()})
