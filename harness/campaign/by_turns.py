"""A campaign carried out by turns: every workload is seen, then time is spent where a verdict is still open.

The rule by which each ratio stops is that of an adaptive campaign, declared before the first run: its intervals hold
however often they are looked at, so that neither a work which has its answers nor time may end it too early.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from harness.analysis import adaptive
from harness.campaign.planned import PlannedCampaign
from harness.campaign.steps import Steps
from harness.campaign.time_left import TimeLeft
from harness.campaign.turn_order import TurnOrder
from harness.records import DecidedRatio, Outcome, PlannedRun, Purpose, StopRecord
from harness.records.planned import Work

SETTLED = "every ratio is known"
NO_TIME = "there was no time"


class Answers(Protocol):
    """What the runs say so far: harness.analysis.looks."""

    def ratios(self, work: Work | None = None) -> Sequence[DecidedRatio]: ...


class Proofs(Protocol):
    """Whether work is equal: harness.campaign.due_proofs."""

    def why_not(self, workload: str, end_s: float | None) -> str: ...


@dataclass
class ByTurns:
    """`done`: the outcomes by run id, to which those of new runs are added. `proofs`: None where nobody wants them."""

    campaign: PlannedCampaign
    steps: Steps
    done: dict[str, Outcome]
    answers: Answers
    proofs: Proofs | None = None
    time_left: TimeLeft | None = None
    clock: Callable[[], float] = time.monotonic
    _turns: TurnOrder = field(init=False)

    def __post_init__(self) -> None:
        plan = self.campaign.plan
        assert plan.until is not None  # whoever plans turns declares it
        self._turns = TurnOrder(self.campaign.order, plan.retries, plan.until.looks[0])

    def carry_out(self) -> None:
        """Run by run, until all is known, no turn fits any more, or a run fails where that ends it."""
        self._leave_what_is_known()
        while planned := self._turns.next(self.done):
            if why := self._why_not(planned):
                self._turns.leave(planned, why)
                continue
            self._make(planned)
            if self.campaign.fail_fast and self.done[planned.run_id] is not Outcome.OK:
                return

    @property
    def made(self) -> tuple[PlannedRun, ...]:
        return tuple(one for one in self.campaign.order if one.run_id in self.done)

    def stop(self) -> StopRecord | None:
        """Its answers, once nothing is open: who goes on with it has nothing left to do."""
        unmade = self._turns.lacks_profiles or set(self._turns.left.values()) - {SETTLED}
        if unmade or self._turns.next(self.done):
            return None
        ratios = tuple(self.answers.ratios())
        if not adaptive.decided(ratios):
            return None
        return StopRecord(blocks=max(one.blocks for one in ratios), ratios=ratios)

    def _leave_what_is_known(self) -> None:
        """Of a campaign that goes on."""
        by_work: dict[Work, list[DecidedRatio]] = {}
        for one in self.answers.ratios() if self.done else ():
            by_work.setdefault(one.work, []).append(one)
        known = (work for work, several in by_work.items() if adaptive.decided(several))
        self._turns.left.update(dict.fromkeys(known, SETTLED))

    def _why_not(self, planned: PlannedRun) -> str:
        if self.time_left and not self.done:  # nobody knows what it takes
            return "" if self.time_left.is_any(self.clock()) else NO_TIME
        together = self._turns.together(planned, self.done)
        if self.time_left and not self.time_left.fits(together, self.clock()):
            return NO_TIME
        if self.proofs and planned.purpose == Purpose.MEASURE and planned.block > 1:
            return self._unproven(planned.treatment.workload, together)
        return ""

    def _unproven(self, workload: str, together: Sequence[PlannedRun]) -> str:
        """No further run is spent on what has no verdict without a proof, which leaves time for these runs."""
        assert self.proofs is not None
        began_s, left = self.clock(), self.time_left
        lacking = self.proofs.why_not(workload, left.proof_by_s(together, began_s) if left else None)
        if left:
            left.paused(self.clock() - began_s)
        if lacking:
            self.steps.observer.note(f"no further runs of {lacking}")
        return lacking

    def _make(self, planned: PlannedRun) -> None:
        self.steps.take_baseline(planned.block)
        self.done[planned.run_id] = self.steps.run(planned, self.steps.cool_down()).outcome
        if self.time_left:
            self.time_left.finished(planned, self.clock())
        if planned.purpose == Purpose.MEASURE and self._turns.is_complete(planned, self.done):
            self._look(planned)

    def _look(self, planned: PlannedRun) -> None:
        if planned.block < self._turns.first_look:
            return
        ratios = self.answers.ratios(planned.treatment.work)
        if self.proofs:  # else nobody knows yet whether the report will withhold the verdicts
            self.steps.observer.looked(ratios)
        if adaptive.decided(ratios):
            self._turns.leave(planned, SETTLED)
