"""In which order works are measured where time is short, so that whatever it is enough for tells something; pure.

A work is what may be compared: one workload in one stage, with all its frameworks. One opens, to its first verdicts;
then every workload is seen in two frameworks, then in all, then in every stage; then each work goes to its first look;
then block after block of all that is open, and at last of what nothing is compared with. A campaign that has its
answers, or no time, leaves out what comes later.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from harness.records import PlanRecord, Treatment
from harness.records.planned import Work

OPENING = (
    4  # blocks: the first look, after three, tells ratios of four alone, the next one those of one and a half
)

Turn = tuple[int, tuple[Treatment, ...]]  # block, and what is measured in it
Works = Mapping[Work, tuple[Treatment, ...]]


def opening(plan: PlanRecord) -> Work | None:
    """The work that is measured first, to its first verdicts; None where nothing is compared, or not by turns."""
    if not plan.turns:
        return None
    return next((work for work, several in _works(plan).items() if len(several) > 1), None)


def turns(plan: PlanRecord) -> Iterator[Turn]:
    """Each block of each treatment once; what nothing is compared with needs no more blocks than a first look does."""
    made: set[tuple[int, str]] = set()
    for block, treatments in _wanted(plan):
        left = tuple(one for one in treatments if (block, one.model_dump_json()) not in made)
        made |= {(block, one.model_dump_json()) for one in left}
        if left:
            yield block, left


def _wanted(plan: PlanRecord) -> Iterator[Turn]:
    """Some of it is wanted twice."""
    works = _works(plan)
    most = plan.repetitions
    look = min(plan.until.looks[0], most) if plan.until else most
    compared = [several for several in works.values() if len(several) > 1]
    first_of_each = [several for work, several in works.items() if work == _first(works, work[0])]
    if first := opening(plan):
        yield from ((block, works[first]) for block in range(1, min(OPENING, most) + 1))
    reference = plan.until.reference if plan.until else ""
    yield from ((1, _pair(several, reference)) for several in first_of_each)
    yield from ((1, several) for several in (*first_of_each, *works.values()))
    for several in compared:
        yield from ((block, several) for block in range(2, look + 1))
    for block in range(look + 1, most + 1):
        yield from ((block, several) for several in compared)
    for block in range(2, look + 1):
        yield from ((block, several) for several in works.values())


def _first(works: Works, workload: str) -> Work:
    return next(work for work in works if work[0] == workload)


def _pair(several: Sequence[Treatment], reference: str) -> tuple[Treatment, ...]:
    """What the others are held against ("torch 2.13.0"; the plan's first where a work lacks that), and one more."""
    named = (one for one in several if f"{one.framework} {one.version}" == reference)
    first = next(named, several[0])
    return (first, *[one for one in reversed(several) if one != first][:1])


def _works(plan: PlanRecord) -> Works:
    """In the order of their workloads' turns, within one in that of the plan."""
    places = {name: place for place, name in enumerate(plan.turns)}
    found: dict[Work, list[Treatment]] = {}
    for one in sorted(plan.treatments, key=lambda one: places.get(one.workload, len(places))):
        found.setdefault(one.work, []).append(one)
    return {work: tuple(several) for work, several in found.items()}
