"""How much a counter has grown between readings: the one place that knows of wraps."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

Number = TypeVar("Number", float, npt.NDArray[np.float64])


def growth_between(before: Number, after: Number, wraps_at: float | None) -> Number:
    """In the readings' own unit, modulo the counter's range where it has one.

    Right as long as less than a whole range lies between the two (kernel: max_energy_range_uj is the modulus).
    """
    return after - before if wraps_at is None else (after - before) % wraps_at
