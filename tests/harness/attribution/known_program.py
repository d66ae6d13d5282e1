"""A program whose functions burn known power, looked at now and then, beside a meter that updates now and then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from harness.attribution.looks import StackLooks
from harness.attribution.powers import Intervals

LASTS_S = 60.0
LOOKS_PER_S = 200
STEP_J = 61e-6  # of the counter, as RAPL has it


@dataclass(frozen=True)
class Pair:
    """Two functions by turns, for so many seconds; each visit lasts so long, within 30 %."""

    first: int
    second: int
    first_s: float
    second_s: float
    lasts_s: float


@dataclass(frozen=True)
class Program:
    """Functions by their watts; what they do, over and over."""

    powers_w: Sequence[float]
    pairs: Sequence[Pair]

    def visits(self, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Borders in s [n + 1] and functions [n]."""
        found: list[tuple[int, float]] = []
        while sum(lasted for _, lasted in found) < LASTS_S:
            for pair in self.pairs:
                found += _alternating(pair, generator)
        borders = np.concatenate([[0.0], np.cumsum([lasted for _, lasted in found])])
        count = int(np.searchsorted(borders, LASTS_S))
        return np.append(borders[:count], LASTS_S), np.array([one for one, _ in found[:count]])


def _alternating(pair: Pair, generator: np.random.Generator) -> list[tuple[int, float]]:
    found, spent_s = [], 0.0
    while spent_s < pair.lasts_s:
        for function, usual_s in ((pair.first, pair.first_s), (pair.second, pair.second_s)):
            lasts_s = usual_s * generator.uniform(0.7, 1.3)
            found.append((function, lasts_s))
            spent_s += lasts_s
    return found


@dataclass(frozen=True)
class Seen:
    """What a meter and the looks tell of one run, and what is true: joules of each function."""

    intervals: Intervals
    looks: StackLooks
    truth_j: np.ndarray


def run(program: Program, generator: np.random.Generator, update_s: float, idle_w: float = 0.0) -> Seen:
    borders, functions = program.visits(generator)
    powers = np.asarray(program.powers_w)
    burnt_j = np.diff(borders) * powers[functions]
    updates = np.unique(np.append(np.arange(0, LASTS_S, update_s), LASTS_S))
    counter = np.interp(updates, borders, np.concatenate([[0.0], np.cumsum(burnt_j)])) + idle_w * updates
    counter = np.round(counter / STEP_J) * STEP_J
    looks = (
        np.arange(LASTS_S * LOOKS_PER_S) + 0.5 + generator.uniform(-0.1, 0.1, int(LASTS_S * LOOKS_PER_S))
    ) / LOOKS_PER_S
    seen = functions[np.searchsorted(borders, looks, "right") - 1]
    return Seen(
        Intervals((updates * 1e9).astype(np.int64), np.diff(counter)),
        StackLooks((looks * 1e9).astype(np.int64), seen, len(powers)),
        np.bincount(functions, burnt_j, len(powers)),
    )
