"""Power over time with an exact integral: each function gives the joules after so many seconds from the start."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Waveform = Callable[[float], float]


def constant(watts: float) -> Waveform:
    return lambda t_s: watts * t_s


def steps(levels: Sequence[tuple[float, float]]) -> Waveform:
    """Levels of (seconds, watts), over and over."""
    period_s = sum(seconds for seconds, _ in levels)
    period_j = sum(seconds * watts for seconds, watts in levels)

    def energy_j(t_s: float) -> float:
        periods, rest_s = divmod(t_s, period_s)
        total_j = periods * period_j
        for seconds, watts in levels:
            total_j += watts * min(max(rest_s, 0.0), seconds)
            rest_s -= seconds
        return total_j

    return energy_j


def bursts(low_w: float, high_w: float, period_s: float, duty: float = 0.5) -> Waveform:
    """High for the first part of every period, low for the rest."""
    return steps([(period_s * duty, high_w), (period_s * (1 - duty), low_w)])


def ramp(from_w: float, to_w: float, over_s: float) -> Waveform:
    """Rises or falls evenly, then stays."""

    def energy_j(t_s: float) -> float:
        inside_s = min(t_s, over_s)
        rising_j = from_w * inside_s + (to_w - from_w) * inside_s**2 / (2 * over_s)
        return rising_j + to_w * max(0.0, t_s - over_s)

    return energy_j


def plus(*parts: Waveform) -> Waveform:
    return lambda t_s: sum(part(t_s) for part in parts)
