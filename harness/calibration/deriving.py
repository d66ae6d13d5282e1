"""From a null campaign on disk to what it tells of its machine."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from harness import store
from harness.analysis.summary import analyse
from harness.calibration.noise import noises
from harness.calibration.records import MOST_LETTERS, Calibrated, Calibration
from harness.errors import CampaignError
from harness.planning import null_campaign
from harness.records import Plan


def of(campaign: store.Campaign, described: Mapping[str, Any]) -> Calibrated:
    """What a null campaign found. `described`: its machine, also of an anonymous one.

    Raises: CampaignError if nothing of it can be told.
    """
    record, counted = campaign.record, analyse(campaign).counted
    if not isinstance(record.plan, Plan):
        raise CampaignError(f"{campaign.folder} was imported: which of its runs was A nobody knows")
    plan, labelled = record.plan, null_campaign.labels(record.plan, record.order)
    noise = tuple(noises(counted, labelled, plan.seed))
    if not noise:
        raise CampaignError(f"{campaign.folder} tells no noise: no quantity is known of two blocks")
    modes = [mode[:MOST_LETTERS] for mode in set(counted["mode"].dropna())]
    made = Calibration(
        created=datetime.now(UTC).replace(microsecond=0), profile=plan.profile, treatment=plan.treatments[0],
        mode=modes[0] if len(modes) == 1 else None, isolation=record.isolation, blocks=plan.repetitions,
        seed=plan.seed, suite_sha256=record.suite_sha256, noise=noise,
    )  # fmt: skip
    return Calibrated(machine=dict(described), channels=record.channels, calibration=made)
