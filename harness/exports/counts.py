"""Numbers that are counted: written without a decimal point, also in a column where some are unknown."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

OF_RATIOS = ("n", "runs", "blocks", "family")  # columns of costs and of what is compared


def counted(frame: pd.DataFrame, columns: Iterable[str] = OF_RATIOS) -> pd.DataFrame:
    """The frame with those of these columns that it has as whole numbers."""
    there = [name for name in columns if name in frame]
    return frame.assign(**{name: frame[name].astype("float64").round().astype("Int64") for name in there})
