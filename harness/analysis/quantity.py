"""What a quantity is: a column of runs, and all that has to be known to tell, compare and gate it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import pandas as pd

from harness.analysis.compare import geometric_mean
from harness.analysis.pairs import BlockLogs, Pair, block_logs
from harness.analysis.replicates import Replicates
from harness.analysis.verdict import Verdict
from suite.protocol import Event
from suite.task import Direction

RESOLUTION = "energy_resolution_j"


class Scope(StrEnum):
    """Of what it is told."""

    RUN = "whole run"
    STAGE = "stage alone"
    PARTS = "parts of the stage"


class Mean(StrEnum):
    GEOMETRIC = "geometric"
    ARITHMETIC = "arithmetic"


@dataclass(frozen=True)
class Quantity:
    """A row of harness.analysis.quantities.

    `unit`: that of its numbers, which reports scale (reports.formats). `direction`: which of two values is better;
    None: neither. `short`: as users say it. `per`: the unit of work that it is told per. `energy`, `time`: it is made
    of joules, of seconds, so that it carries their provenance and what speaks against them. `costed`: has rows of
    costs; `compared`: a ratio; `ranked`: asked who costs least; `drawn`: laid over factors and in distributions;
    `of_quality`: title, unit and direction follow the metric of the runs.
    `uncertainty`: columns of a half-width of 95 % and of the energy that it belongs to, whose share is the quantity's
    own, for what else it is made of is known far better. `of`: from other columns; `told`: from a run's events.
    """

    name: str
    title: str
    unit: str = ""
    direction: Direction | None = Direction.LOWER
    short: str = ""
    scope: Scope = Scope.RUN
    per: str = ""
    energy: bool = False
    time: bool = False
    costed: bool = True
    compared: bool = True
    ranked: bool = False
    drawn: bool = False
    of_quality: bool = False
    uncertainty: tuple[str, str] | None = None
    mean: Mean = Mean.GEOMETRIC
    digits: int = 3
    of: Callable[[pd.DataFrame], pd.Series] | None = None
    told: Callable[[Sequence[Event]], float | None] | None = None

    @property
    def judged(self) -> bool:
        """A ratio earns a verdict."""
        return self.compared and self.direction is not None

    @property
    def lead(self) -> bool:
        """Of those that a report's first lines tell."""
        return self.ranked and self.scope is Scope.RUN

    @property
    def family(self) -> str:
        """What is told in one unit: joules of runs, stages, phases and epochs alike, those of a sample apart."""
        if self.unit == "bytes" or (self.scope is not Scope.PARTS and self.per in ("", "epoch")):
            return self.unit
        return f"{self.unit} per {self.per or self.name}"

    @property
    def words(self) -> str:
        """The title within a sentence."""
        return self.title if self.title[1:2].isupper() else self.title[:1].lower() + self.title[1:]

    @property
    def full_title(self) -> str:
        return f"{self.title}, {self.scope}"

    def badge(self, provenance: str) -> str:
        """What stands beside its title: of joules, what they are."""
        return provenance if self.energy else ""

    def pair(self, treatment: pd.DataFrame, reference: pd.DataFrame) -> Pair | None:
        """Of runs of two treatments, with rates; None without a common block, or where a value is not positive."""
        return self.logs(treatment).over(self.logs(reference))

    def by_block(self, treatment: pd.DataFrame, reference: pd.DataFrame) -> tuple[Pair, Replicates]:
        """Of runs of a merged campaign that have a pair: block by block, and where each block ran."""
        found = self.logs(treatment).by_block(self.logs(reference))
        assert found is not None and found[1] is not None
        return found[0], found[1]

    def logs(self, runs: pd.DataFrame) -> BlockLogs:
        """Of runs of one treatment, with rates."""
        step = (RESOLUTION, self.uncertainty[1]) if self.uncertainty else None
        return block_logs(runs, self.name, self.uncertainty, step)

    def mean_of(self, values: pd.Series) -> float | None:
        """None without a value, or where a geometric mean meets one that is not positive."""
        if self.mean is Mean.GEOMETRIC:
            return geometric_mean(values)
        return float(values.mean()) if values.notna().any() else None

    def best(self, means: Sequence[float]) -> float | None:
        """None where there is nothing to be better than."""
        if len(set(means)) < 2 or self.direction is None:
            return None
        return max(means) if self.direction is Direction.HIGHER else min(means)

    @property
    def extreme(self) -> str:
        """What the best mean is, which is no verdict."""
        return "highest" if self.direction is Direction.HIGHER else "lowest"

    def verdict(self, as_a_cost: Verdict) -> Verdict:
        """Of a ratio whose verdict this is where less is better."""
        return as_a_cost.turned if self.direction is Direction.HIGHER else as_a_cost
