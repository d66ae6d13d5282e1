"""Runs under a profiler stay with their own campaign: they enter no comparison, and two machines' are never one's."""

from __future__ import annotations

from pathlib import Path

from harness import store
from harness.records import CampaignRecord, Purpose
from harness.records.plan import BY_LOOKING


def without_profiles(record: CampaignRecord) -> CampaignRecord:
    """The record of its measured runs alone, as if nothing had been profiled after them."""
    kept = tuple(one for one in record.order if one.purpose != Purpose.PROFILE)
    plan = record.plan.model_copy(update={"profile_runs": 0, "profile_tools": BY_LOOKING})
    return record.model_copy(update={"order": kept, "plan": plan})


def baselines_of_profiles(record: CampaignRecord) -> frozenset[str]:
    """Their names in its folder, of a record as it is stored: those of blocks of their own, after all others."""
    measured = {one.block for one in record.order if one.purpose != Purpose.PROFILE}
    blocks = {one.block for one in record.order} - measured
    return frozenset(str(store.baseline_path(Path(), one)) for one in blocks)
