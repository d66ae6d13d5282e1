"""A campaign of profiled runs: never compared, for a profiler changes what it looks at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import count

from harness.campaign.planned import PlannedCampaign
from harness.planning import plan
from harness.planning.profilers import of
from harness.records import PlannedRun, Profiler, Purpose


@dataclass(frozen=True)
class ProfiledCampaign(PlannedCampaign):
    """As any other, but each run is made once under each of these profilers that can look at it, for nothing else."""

    profilers: tuple[Profiler, ...] = (Profiler.PY_SPY,)

    @cached_property
    def order(self) -> tuple[PlannedRun, ...]:
        positions = count(1)
        return tuple(
            one.model_copy(update={"position": next(positions), **changed})
            for one in plan.order(self.plan)
            for changed in self._changes(one)
        )

    def _changes(self, planned: PlannedRun) -> list[dict[str, object]]:
        if planned.purpose != Purpose.MEASURE:
            return [{}]
        return [
            {"purpose": Purpose.PROFILE, "profiler": one, "run_id": f"{planned.run_id}-{one}"}
            for one in of(planned.treatment, self.profilers)
        ]
