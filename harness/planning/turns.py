"""In which order works are measured where time is short, so that whatever it is enough for tells something; pure.

A work is what may be compared: one workload in one stage, with all its frameworks. One opens, to its first verdicts;
then every workload is seen once, then every other stage; then each work goes to its first look; at last block after
block. A campaign that has its answers, or no time, leaves out what comes later.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from harness.records import PlanRecord, Treatment
from harness.records.planned import Work

OPENING = (
    4  # blocks: the first look, after three, tells ratios of four alone, the next one those of one and a half
)

Turn = tuple[int, tuple[Treatment, ...]]  # block, and what is measured in it


def turns(plan: PlanRecord) -> Iterator[Turn]:
    """Each block of each work once; what nothing is compared with needs no more blocks than a first look does."""
    works = _works(plan)
    most, look = plan.repetitions, plan.until.looks[0] if plan.until else plan.repetitions
    compared = [work for work, several in works.items() if len(several) > 1]
    made: dict[tuple[int, Work], None] = {}
    for work in compared[:1]:
        made.update(((block, work), None) for block in range(1, min(OPENING, most) + 1))
    made.update(((1, work), None) for work in (*_first_of_each(works), *works))
    made.update(((block, work), None) for work in works for block in range(2, min(look, most) + 1))
    made.update(((block, work), None) for block in range(look + 1, most + 1) for work in compared)
    yield from ((block, works[work]) for block, work in made)


def _works(plan: PlanRecord) -> Mapping[Work, tuple[Treatment, ...]]:
    """In the order of their workloads' turns, within one in that of the plan."""
    places = {name: place for place, name in enumerate(plan.turns)}
    found: dict[Work, list[Treatment]] = {}
    for one in sorted(plan.treatments, key=lambda one: places.get(one.workload, len(places))):
        found.setdefault(one.work, []).append(one)
    return {work: tuple(several) for work, several in found.items()}


def _first_of_each(works: Mapping[Work, Sequence[Treatment]]) -> list[Work]:
    """Of each workload the first work."""
    return list({work[0]: work for work in reversed(list(works))}.values())[::-1]
