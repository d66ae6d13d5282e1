"""In which phase of its run a look at the stack was; pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np

from harness.energy.series import Ints

MOST_NAMES = 50  # whatever a worker tells
OTHER = "other"  # outside every phase, as the tables of phases have it


class PhaseWindow(NamedTuple):
    """Times are of CLOCK_MONOTONIC; several may bear one name, as epochs do."""

    name: str
    begin_ns: int
    end_ns: int


@dataclass(frozen=True)
class SeenPhases:
    """The windows of a run's phases; of a window within another one the inner counts."""

    windows: Sequence[PhaseWindow] = ()

    @classmethod
    def of(cls, windows: Iterable[PhaseWindow]) -> SeenPhases:
        return cls(sorted(windows, key=lambda one: (one.begin_ns, -one.end_ns)))

    @cached_property
    def names(self) -> Sequence[str]:
        """Each once, as they begin; the last is what lies outside all of them, or is of one name too many."""
        several = dict.fromkeys(one.name for one in self.windows if one.name != OTHER)
        return [*islice(several, MOST_NAMES), OTHER]

    def at(self, t_ns: Ints) -> Ints:
        """The number in `names` of the phase at each time [n], which are in order."""
        numbers = {name: number for number, name in enumerate(self.names)}
        found = np.full(len(t_ns), len(self.names) - 1, np.int64)
        for one in self.windows:
            begin, end = np.searchsorted(t_ns, [one.begin_ns, one.end_ns])
            found[begin:end] = numbers.get(one.name, numbers[OTHER])
        return found
