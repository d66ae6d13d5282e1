"""How large the numbers of a campaign typically are, by what they are told in. Pure."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from harness.analysis.quantities import named


def typical(costs: pd.DataFrame) -> Mapping[str, float]:
    """The geometric mean over treatments of each family of quantities, in its base unit; none where all is unknown.

    `costs`: rows with `quantity` and `mean`. By whole runs and stages alike: a factor of ten between the two moves it
    by three.
    """
    known = costs.dropna(subset=["mean"])
    means = known["mean"].astype("float64")
    positive = known.assign(log=np.log(means.where(means > 0))).dropna(subset=["log"])
    families = positive["quantity"].map({name: named(name).family for name in positive["quantity"].unique()})
    found = positive.groupby(families)["log"].mean()
    return {str(family): float(np.exp(log)) for family, log in found.items()}
