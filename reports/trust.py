"""How far the first screen can be trusted: each fact with what mends it, as a command to copy."""

from __future__ import annotations

from harness.analysis.summary import Analysis
from harness.store import Campaign
from reports import trust_of_ratios as of_ratios
from reports import trust_of_runs as of_runs
from reports.trust_fact import TrustFact

FACTS = (
    of_runs.energy, of_runs.short, of_runs.disturbed, of_runs.data, of_ratios.equal_work, of_ratios.blocks,
    of_ratios.versions, of_ratios.noise, of_ratios.smallest, of_ratios.calibration,
)  # fmt: skip


def trust(analysis: Analysis, campaign: Campaign) -> list[TrustFact]:
    """Empty where no run counts: there is nothing to trust."""
    if not len(analysis.counted):
        return []
    return [one for fact in FACTS if (one := fact(analysis, campaign))]
