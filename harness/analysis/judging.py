"""How the ratios of a table are told: together, each at its level, with checks beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from harness.analysis.compare import Ratio, told
from harness.analysis.multiplicity import SIMULTANEOUS, levels
from harness.analysis.pairs import Pair
from harness.analysis.robust import Checks, checks
from harness.analysis.simultaneous import ALPHA
from harness.analysis.verdict import MARGIN, log_margin


@dataclass(frozen=True)
class Judgement:
    """`errors`: which error is held, by name; `family`: so many intervals of this level hold at once."""

    ratio: Ratio
    checks: Checks
    errors: str
    family: int


# Of the pairs of one table, among so many comparisons that were planned.
Judge = Callable[[Sequence[Pair], int], list[Judgement]]


def judge(errors: str = SIMULTANEOUS, margin: float = MARGIN) -> Judge:
    """`errors`: see harness.analysis.multiplicity. Raises: UsageError for an unknown one, or a margin that is none."""
    log_margin(margin)
    levels_of = levels(errors)

    def of_a_table(pairs: Sequence[Pair], comparisons: int) -> list[Judgement]:
        found = []
        for pair, level in zip(pairs, levels_of(pairs, comparisons), strict=True):
            ratio = told(pair, level, margin)
            family = level.comparisons if level.comparisons > 1 else max(1, round(ALPHA / level.alpha))
            found.append(Judgement(ratio, checks(pair, ratio, level, margin), errors, family))
        return found

    return of_a_table
