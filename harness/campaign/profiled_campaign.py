"""A campaign of runs whose stacks are looked at: never compared, for looking changes what it looks at."""

from __future__ import annotations

from functools import cached_property

from harness.campaign.planned import PlannedCampaign
from harness.planning import plan
from harness.records import PlannedRun, Purpose


class ProfiledCampaign(PlannedCampaign):
    """As any other, but for the purpose of its runs."""

    @cached_property
    def order(self) -> tuple[PlannedRun, ...]:
        profiled = {"purpose": Purpose.PROFILE}
        return tuple(
            one.model_copy(update=profiled) if one.purpose == Purpose.MEASURE else one
            for one in plan.order(self.plan)
        )
