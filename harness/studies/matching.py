"""When our number is the printed one: by its digits, by a bound, or not at all.

A printed number is text: its last digit says how finely it was printed. Ours is the same number where
  - exact: it equals the printed one (but for NOISE of it: sums in another order);
  - rounded: rounding it to the printed digits gives the printed one, a tie to either side;
  - cut: dropping its further digits does;
  - within one unit of the last digit, but only where the printed number has at least SLACK_UNITS of them: below, one
    unit is no small part of it;
  - bound: what is printed is `<0.001` or alike, and ours lies there.
An effect size may be printed without its direction: max(A, 1 - A). Then it is `folded` first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from math import isfinite
from typing import Self

EXACT, ROUNDED, CUT, WITHIN, BOUND = "exact", "rounded", "cut", "within one unit", "bound"
FOLDED = "folded"
NOISE = 1e-9  # relative
SLACK_UNITS = 100
NUMBER = re.compile(
    r"(?P<bound><=|>=|[<>≤≥]|)\s*(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)", re.ASCII
)
LONGEST = 40  # characters
LARGEST_EXPONENT = 308


@dataclass(frozen=True)
class Printed:
    """A number as it stands in print. `unit`: of its last digit; `bound`: one of < <= > >=, or empty."""

    text: str
    value: float
    unit: float
    bound: str = ""

    @classmethod
    def of(cls, text: str) -> Self:
        """Raises: ValueError for what is no number, nor a bound such as `<0.001` or `< .05`."""
        match = NUMBER.fullmatch(text.strip().replace("−", "-")) if len(text) <= LONGEST else None
        value = float(match["number"]) if match else float("nan")
        if match is None or not isfinite(value):
            raise ValueError(f"'{text[:LONGEST]}' is no number")
        exponent = int(Decimal(match["number"]).as_tuple().exponent)
        bound = match["bound"].replace("≤", "<=").replace("≥", ">=")
        return cls(text.strip(), value, 10.0 ** min(exponent, LARGEST_EXPONENT), bound)

    def with_decimals(self, decimals: int) -> Self:
        """The same in a column whose numbers all have so many: "1" among ".9" is 1.0."""
        return replace(self, unit=min(self.unit, 10.0**-decimals))

    @classmethod
    def exactly(cls, value: float) -> Self:
        """A number at hand with every digit that it has: only the same is the same."""
        return cls(f"{value:.12g}", value, 0.0)


def rule(printed: Printed, ours: float, folded: bool = False) -> str | None:
    """By which rule `ours` is the printed number; None where by none. `folded`: max(A, 1 - A) may stand there."""
    if (found := _plainly(printed, ours)) or not folded:
        return found
    unfolded = _plainly(printed, max(ours, 1 - ours))
    return f"{FOLDED}, {unfolded}" if unfolded else None


def _plainly(printed: Printed, ours: float) -> str | None:
    if printed.bound:
        return BOUND if _inside(printed, ours) else None
    if not isfinite(ours):
        return None
    noise = NOISE * max(abs(printed.value), abs(ours))
    off, unit = abs(ours - printed.value), printed.unit
    if off <= noise:
        return EXACT
    if off <= unit / 2 + noise:
        return ROUNDED
    beyond = abs(ours) - abs(printed.value)
    # 1 - 0.9 is, in floats, a little less than 0.1
    if printed.value * ours >= 0 and 0 <= beyond < unit * (1 - NOISE):
        return CUT
    large = abs(printed.value) >= SLACK_UNITS * unit
    return WITHIN if large and off <= unit + noise else None


def _inside(printed: Printed, ours: float) -> bool:
    if printed.bound[0] == "<":
        return ours < printed.value or (printed.bound == "<=" and ours == printed.value)
    return ours > printed.value or (printed.bound == ">=" and ours == printed.value)
