"""What remains of a campaign, from its order and from what its runs took so far; pure: every time is an argument.

A run takes the time from the end of the run before it to its own end, so that baselines, cool-downs and pauses are
in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from statistics import fmean
from types import MappingProxyType

from harness.energy.series import NS_PER_S
from harness.planning import costs
from harness.planning.forecast import Eta, forecast
from harness.planning.plan import duration_s
from harness.records import Plan, PlannedRun, Purpose, RunRecord

STARTING_S = 60.0  # at most, between the waits of the plan and the start of a run


class Remaining:
    """The runs to come of a campaign, and what its runs took so far. Times are seconds of one clock."""

    def __init__(
        self,
        runs: Iterable[PlannedRun],
        expected_run_s: float,
        began_s: float,
        guessed_s: Mapping[str, float] = MappingProxyType({}),
    ) -> None:
        self._to_come = {run.run_id: _treatment(run) for run in runs}
        self._took_s: dict[str, list[float]] = {}
        self._guessed_s = guessed_s  # of a run, by treatment, before any was made
        self._expected_run_s, self._last_end_s = expected_run_s, began_s
        self._forecast: Eta | None = None
        self._current = ""  # the run under way, or the one before
        self.ends_s: float | None = None  # where time ends it, whatever is left of it then
        self.done = 0

    @property
    def total(self) -> int:
        return self.done + len(self._to_come)

    def started(self, planned: PlannedRun) -> None:
        """A repetition comes on top of the plan; a warm-up run lies outside it."""
        if planned.purpose != Purpose.WARM_UP:
            self._current, self._forecast = planned.run_id, None
            self._to_come.setdefault(planned.run_id, _treatment(planned))

    def finished(self, planned: PlannedRun, at_s: float) -> None:
        if planned.purpose != Purpose.WARM_UP:
            self._to_come.pop(planned.run_id, None)
            self._took_s.setdefault(_treatment(planned), []).append(at_s - self._last_end_s)
            self.done, self._forecast = self.done + 1, None
        self._last_end_s = at_s

    def interrupted(self, at_s: float) -> None:
        """Until then nothing was done."""
        self._last_end_s = at_s

    def paused(self, for_s: float) -> None:
        """For so long, something else was done."""
        self._last_end_s += for_s

    def eta(self, at_s: float) -> Eta:
        if self.ends_s is not None:
            return Eta(max(0.0, self.ends_s - at_s))
        if not self._to_come:
            return Eta(0.0, 0.0, 0.0)
        if self._forecast is None:
            self._forecast = forecast(Counter(self._to_come.values()), self._took_s, self._otherwise_s())
        return self._forecast.after(min(max(0.0, at_s - self._last_end_s), self._expected_s()))

    def expected_s(self, runs: Iterable[PlannedRun]) -> float:
        """Of these runs and what is between them; one neither made nor guessed is taken for the longest that was."""
        longest_s = max(map(fmean, self._took_s.values()), default=self._expected_run_s)
        scale = self._of_what_was_guessed()
        guessed = {name: [scale * seconds] for name, seconds in self._guessed_s.items()}
        return forecast(Counter(map(_treatment, runs)), {**guessed, **self._took_s}, longest_s).seconds

    @property
    def took_s(self) -> dict[str, float]:
        """The mean of a run, by treatment."""
        return {name: fmean(times) for name, times in self._took_s.items()}

    def _of_what_was_guessed(self) -> float:
        """How much longer runs take here than was guessed: another machine, or a busy one."""
        both = self.took_s.keys() & self._guessed_s.keys()
        return (
            sum(self.took_s[one] for one in both) / sum(self._guessed_s[one] for one in both) if both else 1.0
        )

    def _expected_s(self) -> float:
        """Of the run under way, or of the next one."""
        treatment = self._to_come.get(self._current) or next(iter(self._to_come.values()))
        return fmean(self._took_s.get(treatment, [self._otherwise_s()]))

    def _otherwise_s(self) -> float:
        return fmean(chain.from_iterable(self._took_s.values())) if self._took_s else self._expected_run_s


def took_s(plan: Plan, records: Iterable[RunRecord]) -> dict[str, float]:
    """Seconds of a run with the plan's own waits, by treatment (their mean): what came between runs is no run's."""
    waits_s = plan.idle_s + (plan.cool_down.at_least_s if plan.cool_down.at_most_s else 0.0)
    times: dict[str, list[float]] = {}
    for one in records:
        times.setdefault(_treatment(one.planned), []).append(
            (one.exit_ns - one.start_ns) / NS_PER_S + waits_s
        )
    return {name: fmean(several) for name, several in times.items()}


def of_campaign(
    plan: Plan, order: Sequence[PlannedRun], records: Iterable[RunRecord], now_s: float
) -> Remaining:
    """What remains after these runs, given in the order in which they ran; `now_s` on their clock, CLOCK_MONOTONIC."""
    guessed_s = costs.guesses(plan.treatments, plan.profile) if plan.turns else {}
    remaining = Remaining(order, duration_s(plan, len(order)) / len(order), now_s, guessed_s)
    waits_s = plan.baseline_s + plan.idle_s + plan.cool_down.at_most_s + STARTING_S
    last_end_s = None
    for record in records:
        start_s, end_s = record.start_ns / NS_PER_S, record.exit_ns / NS_PER_S
        if last_end_s is None or not 0 <= start_s - last_end_s <= waits_s:
            remaining.interrupted(start_s)  # before it, the campaign began or was resumed
        remaining.finished(record.planned, end_s)
        last_end_s = end_s
    return remaining


def _treatment(planned: PlannedRun) -> str:
    return planned.treatment.model_dump_json()
