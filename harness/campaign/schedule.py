"""Which run comes next, from the written order and what is on disk; pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from harness.records import Outcome, PlannedRun, Purpose

REPEATED = (Outcome.FAILED, Outcome.INVALID)


def next_run(order: Sequence[PlannedRun], done: Mapping[str, Outcome], retries: int) -> PlannedRun | None:
    """The first run of the order that is not on disk; at the end of each block, those that did not count, again.

    `done` maps run ids to outcomes, repetitions included; None once the plan is carried out.
    """
    for _, block in groupby(order, key=lambda planned: planned.block):
        runs = list(block)
        if waiting := next((planned for planned in runs if planned.run_id not in done), None):
            return waiting
        for planned in runs:
            if again := _repetition(planned, done, retries):
                return again
    return None


def opens_block(planned: PlannedRun, order: Sequence[PlannedRun], done: Mapping[str, Outcome]) -> bool:
    """Whether a run that comes next is the first of a measured block: all blocks before it are complete."""
    begun = any(one.run_id in done for one in order if one.block == planned.block)
    return not begun and planned.purpose != Purpose.PROFILE


def settled(order: Sequence[PlannedRun], done: Mapping[str, Outcome], retries: int) -> bool:
    """Whether every planned run counts, be it in a repetition."""
    return all(any(done.get(name) is Outcome.OK for name in _attempts(planned, retries)) for planned in order)


def _repetition(planned: PlannedRun, done: Mapping[str, Outcome], retries: int) -> PlannedRun | None:
    names = list(_attempts(planned, retries))
    made = [done[name] for name in names if name in done]
    if made[-1] not in REPEATED or len(made) == len(names):
        return None
    return planned.model_copy(update={"run_id": names[len(made)]})


def _attempts(planned: PlannedRun, retries: int) -> Iterator[str]:
    yield planned.run_id
    yield from (f"{planned.run_id}-again-{number}" for number in range(1, retries + 1))
