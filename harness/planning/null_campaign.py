"""A null campaign: one treatment stands twice in each block, and is measured against itself.

Which of the two is A was drawn before the first run: the plan's seed orders A and B as it orders any two treatments.
"""

from __future__ import annotations

from collections.abc import Iterable

from harness.planning import plan_limits
from harness.planning.plan import in_drawn_order
from harness.records import Plan, PlannedRun, PlanRecord, Purpose

LABELS = ("A", "B")


def twice(made: Plan) -> Plan:
    """The null campaign of a plan's only treatment. Raises: UsageError for too many runs."""
    (treatment,) = made.treatments
    plan_limits.require_few_runs(len(LABELS), made.repetitions)
    return made.model_copy(update={"treatments": (treatment, treatment)})


def is_null(plan: PlanRecord) -> bool:
    return len(plan.treatments) == 2 and plan.treatments[0] == plan.treatments[1]


def labels(plan: Plan, order: Iterable[PlannedRun]) -> dict[tuple[int, int], str]:
    """(block, position) of each measured run -> A or B."""
    found: dict[int, list[int]] = {}
    for one in order:
        if one.purpose == Purpose.MEASURE:
            found.setdefault(one.block, []).append(one.position)
    return {
        (block, position): label
        for block, positions in found.items()
        for position, label in zip(sorted(positions), in_drawn_order(plan, block, LABELS), strict=True)
    }
