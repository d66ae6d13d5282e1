"""Which treatment costs least: everyone against the best of the others (multiple comparisons with the best).

A treatment stays among the candidates unless another one is shown to cost less. Held against each other treatment at
once, by one-sided critical values for so many comparisons with itself, the one that truly costs least is dropped in 5 %
at most. Source: Hsu 1981, Ann. Stat. 9:1026.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from harness.analysis.compare import reach
from harness.analysis.intervals import mean_and_error
from harness.analysis.pairs import Pair
from harness.analysis.simultaneous import ErrorLevel


def candidates(treatments: Sequence[str], pair_of: Callable[[str, str], Pair | None]) -> tuple[str, ...]:
    """Those of which none is shown to cost less, 95 % sure to hold the cheapest; a single one is the cheapest.

    `pair_of`: a treatment and another one -> their pair, None where they cannot be compared. Empty where some pair has
    no interval: who is unknown may be the cheapest.
    """
    level = ErrorLevel(max(1, len(treatments) - 1))
    found = []
    for one in treatments:
        rivals = [_costs_more(pair_of(one, other), level) for other in treatments if other != one]
        if None in rivals:
            return ()
        if not any(rivals):
            found.append(one)
    return tuple(found)


def _costs_more(pair: Pair | None, level: ErrorLevel) -> bool | None:
    """Whether a treatment is shown to cost more than the other of its pair; None where nothing can be shown."""
    if pair is None or pair.unspread:
        return None
    mean, error = (float(one) for one in mean_and_error(pair.differences))
    n = len(pair.differences)
    return mean > reach(error, level.critical(n, sides=1), n - 1, pair.mean_measured).total
