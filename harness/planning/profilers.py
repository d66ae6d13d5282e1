"""Which profilers can look at which treatment; pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from harness.records import Profiler, Skipped, Treatment
from suite.profilers import WITH_OPERATORS

WITHOUT_OPERATORS = "has no operators of its own to profile: --tool cprofile tells its functions"


def of(treatment: Treatment, profilers: Iterable[Profiler]) -> tuple[Profiler, ...]:
    """Those that can look at it: of Python's functions any has some, of operators not every framework."""
    return tuple(
        one for one in profilers if one != Profiler.OPERATORS or treatment.framework in WITH_OPERATORS
    )


def divide(
    treatments: Sequence[Treatment], profilers: Sequence[Profiler]
) -> tuple[list[Treatment], list[Skipped]]:
    """What at least one of them can look at, and what none can; where none is named, all and nothing."""
    if not profilers:
        return list(treatments), []
    kept = [one for one in treatments if of(one, profilers)]
    rest = (one for one in treatments if one not in kept)
    return kept, [
        Skipped(treatment=one, reason=f"{one.framework} {WITHOUT_OPERATORS}", inherent=True) for one in rest
    ]
