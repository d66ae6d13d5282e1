"""What a campaign's own record says of it since it began, which does not change."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from harness.exports import anonymous
from harness.files.record_files import read_record
from harness.records import CampaignRecord
from harness.store import CAMPAIGN_FILE


@cache
def record_of(campaign: Path) -> CampaignRecord:
    return read_record(CampaignRecord, campaign, CAMPAIGN_FILE)


def is_anonymous(campaign: Path) -> bool:
    return bool(record_of(campaign).machine.get(anonymous.MARK))
