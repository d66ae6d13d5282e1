"""The profiled runs of this campaign against those of another one, as before and after a change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.analysis.function_types import FunctionTypes
from harness.analysis.profile_pairs import ProfiledPair
from harness.records import CampaignRecord
from reports import differences

NAME, TITLE = "campaign_difference", "Functions against another campaign"


@dataclass(frozen=True)
class CampaignDifference:
    """`pairs`, the other campaign's run the reference of each."""

    other: CampaignRecord
    pairs: Sequence[ProfiledPair]
    same_machine: bool


def view(types: FunctionTypes, difference: CampaignDifference) -> Mapping[str, Any]:
    entries = [
        differences.entry(one, types, number, "between") for number, one in enumerate(difference.pairs)
    ]
    return {"pairs": entries, "other": difference.other, "same_machine": difference.same_machine}
