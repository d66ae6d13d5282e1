"""A campaign whose records tell nobody whose machine it ran on; what its runs say is cleaned where they are stored."""

from __future__ import annotations

from harness.campaign.planned import PlannedCampaign
from harness.exports import anonymous
from harness.records import CampaignRecord


class AnonymousCampaign(PlannedCampaign):
    """As any other, but for what it records of itself."""

    def record(self) -> CampaignRecord:
        found = super().record()
        names = anonymous.names_here(self.folder) | anonymous.names_in(found.model_dump(mode="json"))
        return anonymous.of_record(found, names)
