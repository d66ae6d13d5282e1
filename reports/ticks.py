"""Labels of axes that neither collide nor come twice."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

from harness.analysis.verdict import Floats

ROOM = 0.15  # of an axis: what a label needs from the middle of one to that of the next
NARROW = 1.6  # from end to end: within it a logarithmic axis looks like a linear one
MANTISSAS = ((1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8), (1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,))
BELOW = (0.5, 0.7, 0.8, 0.6, 0.9)
STEPS = (1, 2, 5)
MOST = 8  # whole numbers


def ratio_ticks(low: float, high: float) -> list[float]:
    """Of a logarithmic axis from `low` to `high`, both positive and finite: the most that have room, always with 1."""
    choices = _narrow(low, high) if high / low < NARROW else _wide(low, high)
    found = next((one for one in choices if _apart(one, low, high)), [1.0])
    return _on_both_sides(found, low, high)


def _on_both_sides(ticks: list[float], low: float, high: float) -> list[float]:
    """A side of 1 that has none yet gets one where there is room: what costs less has a number to be held against."""
    for side in (BELOW, tuple(1 / one for one in BELOW)):
        if any((one < 1) == (side[0] < 1) for one in ticks if one != 1):
            continue
        more = (sorted([*ticks, round(one, 2)]) for one in side if low <= one <= high)
        ticks = next((one for one in more if _apart(one, low, high)), ticks)
    return ticks


def _wide(low: float, high: float) -> Iterable[list[float]]:
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for mantissas in MANTISSAS:
        yield _inside((_exact(m, decade) for decade in decades for m in mantissas), low, high)
    for skip in (2, 3, 4, 6, 10, 20, 50, 100):
        yield _inside((_exact(1, decade) for decade in decades if decade % skip == 0), low, high)


def _narrow(low: float, high: float) -> Iterable[list[float]]:
    """Even steps away from 1."""
    for power in range(math.floor(math.log10(high - low)) - 2, 1):
        for mantissa in STEPS:
            step, digits = _exact(mantissa, power), max(0, -power)
            first, last = math.ceil((low - 1) / step), math.floor((high - 1) / step)
            if last - first < 100:
                yield _inside((round(1 + k * step, digits) for k in range(first, last + 1)), low, high)


def _exact(mantissa: float, power: int) -> float:
    return float(f"{mantissa}e{power}")


def _inside(values: Iterable[float], low: float, high: float) -> list[float]:
    return sorted({1.0, *(one for one in values if low <= one <= high)})


def _apart(ticks: Sequence[float], low: float, high: float) -> bool:
    """1 stands outside where the axis does not reach it, which no chart of ratios does."""
    width = math.log(max(high, 1.0) / min(low, 1.0)) or 1.0
    gaps = (math.log(b / a) / width for a, b in pairwise(ticks))
    return all(gap >= ROOM for gap in gaps)


def whole_ticks(values: Floats) -> list[int]:
    """Whole numbers from the least to the greatest, at most MOST of them, evenly spaced."""
    if not len(values):
        return []
    low, high = math.floor(values.min()), math.ceil(values.max())
    step = max(1, math.ceil((high - low) / (MOST - 1)))
    return list(range(low, high + 1, step))
