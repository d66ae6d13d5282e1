"""Numbers as people read them: three significant digits, SI units, one unit per column."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

DASH = "–"
THIN = "\u202f"  # no-break thin space between thousands, and before units
SCALES = {
    "J": ((1e6, "MJ"), (1e3, "kJ"), (1.0, "J"), (1e-3, "mJ"), (1e-6, "µJ")),
    "J·s": ((1e6, "MJ·s"), (1e3, "kJ·s"), (1.0, "J·s"), (1e-3, "mJ·s")),
    "Wh": ((1e6, "MWh"), (1e3, "kWh"), (1.0, "Wh"), (1e-3, "mWh")),
    "gCO2e": ((1e6, "t CO₂e"), (1e3, "kg CO₂e"), (1.0, "g CO₂e"), (1e-3, "mg CO₂e")),
    "W": ((1e3, "kW"), (1.0, "W"), (1e-3, "mW")),
    "FLOP": ((1e12, "TFLOP"), (1e9, "GFLOP"), (1e6, "MFLOP"), (1.0, "FLOP")),
    "s": ((1.0, "s"), (1e-3, "ms")),
    "bytes": ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")),
}


@dataclass(frozen=True)
class Unit:
    """A unit and its size in the base unit; `symbol` is empty for plain numbers."""

    size: float = 1.0
    symbol: str = ""

    def text(self, value: float, digits: int = 3) -> str:
        return f"{number(value / self.size, digits)}{THIN}{self.symbol}".rstrip(THIN)


def unit_for(values: Iterable[float | None], base: str) -> Unit:
    """One unit for a whole column, so that its numbers compare at a glance: that of its largest value."""
    sizes = [abs(one) for one in values if one is not None and math.isfinite(one) and one != 0]
    if not sizes or base not in SCALES:
        return Unit(1.0, base)
    scales = SCALES[base]
    return Unit(*next((scale for scale in scales if max(sizes) >= scale[0]), scales[-1]))


def quantity(value: float, base: str) -> str:
    """One number by itself, e.g. 1.23 kJ."""
    return unit_for([value], base).text(value)


def number(value: float, digits: int = 3) -> str:
    """`digits` significant digits, whole part always in full, no exponent: 0.0123, 12.3, 12 345."""
    if not math.isfinite(value):
        return "not a number" if math.isnan(value) else ("∞" if value > 0 else "−∞")
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    decimals = min(max(0, digits - 1 - magnitude), 12)
    return f"{value:,.{decimals}f}".replace(",", THIN).replace("-", "−")


def probability(value: float) -> str:
    """A p-value with four decimals, so that a column of them compares at a glance."""
    return f"<{THIN}0.0001" if 0 <= value < 0.0001 else f"{value:.4f}"


def interval(low: float | None, high: float | None) -> str:
    """An interval of ratios, e.g. (1.18–1.29); empty without one."""
    return "" if low is None or high is None else f"({_factor(low)}–{_factor(high)})"


def ratio(value: float, low: float | None = None, high: float | None = None) -> str:
    """E.g. 1.23× (1.18–1.29)."""
    return f"{_factor(value)}× {interval(low, high)}".rstrip()


def percent(share: float) -> str:
    """E.g. 2 %, of 0.02."""
    return f"{100 * share:g}{THIN}%"


def _factor(value: float) -> str:
    """Two decimals, more where they alone tell a factor from 1; beyond 10 and below 0.1 three digits."""
    if not 0.1 <= value < 10:
        return number(value)
    decimals = next((d for d in (2, 3, 4) if value == 1 or round(value, d) != 1), 4)
    return f"{value:.{decimals}f}"


def known(value: object) -> float | None:
    """A cell of a frame as a float; None where it is null."""
    return None if value is None or value != value else float(str(value))  # NaN differs from itself


def listed(names: Iterable[str], joined: str = "and") -> str:
    """E.g. a, b and c."""
    *most, last = list(names) or [""]
    return f"{', '.join(most)} {joined} {last}" if most else last


def plural(count: int, one: str, many: str | None = None) -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"
