"""What comes next of a campaign whose works have their turns, and what must fit for it to be begun; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from harness.campaign import schedule
from harness.inventory import specs
from harness.records import Outcome, PlannedRun, Purpose
from harness.records.planned import Work


@dataclass
class TurnOrder:
    """`order`: that of the plan. `first_look`: after how many blocks a work is looked at first."""

    order: Sequence[PlannedRun]
    retries: int
    first_look: int
    left: dict[Work, str] = field(default_factory=dict)  # works that have no turn any more, and why
    _left_runs: set[str] = field(default_factory=set)  # others that are not made
    _of_work: dict[Work, list[PlannedRun]] = field(init=False)
    _works: dict[str, Work] = field(init=False)  # by run id, of what is measured

    def __post_init__(self) -> None:
        measured = [one for one in self.order if one.purpose == Purpose.MEASURE]
        self._works = {one.run_id: one.treatment.work for one in measured}
        self._of_work = {}
        for one in measured:
            self._of_work.setdefault(self._works[one.run_id], []).append(one)

    def next(self, done: Mapping[str, Outcome]) -> PlannedRun | None:
        open_runs = [one for one in self.order if not self._is_left(one.run_id)]
        return schedule.next_run(open_runs, done, self.retries)

    def leave(self, planned: PlannedRun, why: str) -> None:
        """Its work has no further turn; with a training all works that begin with what it trains."""
        if planned.purpose == Purpose.MEASURE:
            self.left[planned.treatment.work] = why
            return
        self._left_runs.add(planned.run_id)
        if planned.purpose == Purpose.PREPARE:
            self.left.update(dict.fromkeys(self._begun_by(planned), why))

    @property
    def lacks_profiles(self) -> bool:
        """Whether there was no time for a run under a profiler, which no work waits for."""
        return any(one.purpose == Purpose.PROFILE and one.run_id in self._left_runs for one in self.order)

    def is_complete(self, planned: PlannedRun, done: Mapping[str, Outcome]) -> bool:
        """Whether all of its block of its work is made."""
        return all(one.run_id in done for one in self._block_of(planned))

    def together(self, planned: PlannedRun, done: Mapping[str, Outcome]) -> list[PlannedRun]:
        """What is begun as a whole or not at all: up to the next look. A first block shows something run by run."""
        if planned.purpose != Purpose.MEASURE or planned.block <= 1 or self._is_begun(planned, done):
            return [planned]
        last = max(planned.block, self.first_look)
        several = self._of_work[planned.treatment.work]
        return [one for one in several if one.block <= last and one.run_id not in done]

    def _is_begun(self, planned: PlannedRun, done: Mapping[str, Outcome]) -> bool:
        return any(one.run_id in done for one in self._block_of(planned))

    def _block_of(self, planned: PlannedRun) -> list[PlannedRun]:
        return [one for one in self._of_work[planned.treatment.work] if one.block == planned.block]

    def _is_left(self, run_id: str) -> bool:
        return run_id in self._left_runs or self._works.get(run_id) in self.left

    def _begun_by(self, training: PlannedRun) -> list[Work]:
        state = specs.state_name(training.treatment)
        works = {work: several[0].treatment for work, several in self._of_work.items()}
        return [w for w, one in works.items() if specs.needs_state(one) and specs.state_name(one) == state]
