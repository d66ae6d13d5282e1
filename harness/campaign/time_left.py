"""Whether what comes next of a campaign is done by the time that its user gave it; pure: every time is an argument.

Time ends a campaign whatever its runs have told, so its intervals need no widening, as those of `--until` do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.campaign import schedule
from harness.campaign.remaining import Remaining
from harness.records import Outcome, PlannedRun


class TimeLeft:
    """Until `ends_s`, on the clock of `remaining`, which learns here what runs take."""

    def __init__(self, ends_s: float, remaining: Remaining) -> None:
        self._ends_s, self._remaining = ends_s, remaining

    def allows(
        self, planned: PlannedRun, order: Sequence[PlannedRun], done: Mapping[str, Outcome], now_s: float
    ) -> bool:
        """The next run; where it opens a block after the first, all of that block: a half compares nothing.

        The first run of all is let begin while there is any time: nobody knows what it takes.
        """
        if not done:
            return self.is_any(now_s)
        runs = [planned]
        if planned.block > 1 and schedule.opens_block(planned, order, done):
            runs = [one for one in order if one.block == planned.block]
        return self.fits(runs, now_s)

    def is_any(self, now_s: float) -> bool:
        return now_s < self._ends_s

    def fits(self, runs: Sequence[PlannedRun], now_s: float) -> bool:
        return now_s + self._remaining.expected_s(runs) <= self._ends_s

    def proof_by_s(self, runs: Sequence[PlannedRun], now_s: float) -> float:
        """When a proof before these runs must be done: they fit after it, and half of the time is left for others."""
        return now_s + max(0.0, self._ends_s - self._remaining.expected_s(runs) - now_s) / 2

    def paused(self, for_s: float) -> None:
        """Something else was done for so long, which is no run's time."""
        self._remaining.paused(for_s)

    def finished(self, planned: PlannedRun, at_s: float) -> None:
        self._remaining.finished(planned, at_s)
