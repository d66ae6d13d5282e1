"""A run is what its campaign planned under its name, and made: none of elsewhere or changed since is counted as one."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from harness.errors import CampaignError
from harness.files.untrusted import printable
from harness.records import PlannedRun, Purpose, RunRecord

LEFT_BY_PROFILERS = (
    "stacks.parquet",
    "functions.csv",
    "calls.csv",
    "operators.csv",
)  # harness.profiling's files
MEASURE_ANEW = "it was changed since, and is not read; measure anew"


def require_as_planned(
    folder: Path, order: Iterable[PlannedRun], runs: Iterable[PlannedRun], renumbered: bool = False
) -> None:
    """One under a profiler never passes for a measured one, or back, and none for another treatment or block.

    `renumbered`: the runs were merged, and their blocks have the numbers of their own campaigns. Raises: CampaignError.
    """
    planned = {one.run_id: one for one in order}
    for one in runs:
        asked = planned.get(one.run_id, one)
        if wrong := _purpose(one, asked) or ("" if renumbered else _work(one, asked)):
            raise CampaignError(f"{folder}: run {printable(one.run_id)} {wrong}: {MEASURE_ANEW}")


def require_own(folder: Path, runs: Iterable[tuple[RunRecord, str]]) -> None:
    """None that another campaign of the same plan made; with each the identity of that which it lies in.

    Raises: CampaignError.
    """
    for one, identity in runs:
        if one.campaign_identity != identity:
            told = (
                f"{printable(one.planned.run_id)} was made by another campaign ({printable(one.campaign_id)})"
            )
            raise CampaignError(
                f"{folder}: run {told}, and is not read: take its folder away (suite merge takes whole campaigns)"
            )


def require_nothing_of_a_profiler(folder: Path, planned: PlannedRun) -> None:
    """Of a run's folder, but a profiled one's. Raises: CampaignError."""
    left = next((one for one in LEFT_BY_PROFILERS if os.path.lexists(folder / one)), None)
    if left and planned.purpose != Purpose.PROFILE:
        raise CampaignError(
            f"{folder} has {left}, as profiled runs alone do, and calls itself one of purpose "
            f"'{printable(planned.purpose)}': {MEASURE_ANEW}"
        )


def _purpose(one: PlannedRun, asked: PlannedRun) -> str:
    said, planned = ((run.purpose, run.profiler) for run in (one, asked))
    if said == planned or Purpose.PROFILE not in (one.purpose, asked.purpose):
        return ""
    return f"was planned for purpose '{_told(*planned)}', and its run.json says '{_told(*said)}'"


def _told(purpose: str, profiler: str | None) -> str:
    return printable(f"{purpose}, {profiler}" if profiler else str(purpose))


def _work(one: PlannedRun, asked: PlannedRun) -> str:
    if (one.treatment, one.block) == (asked.treatment, asked.block):
        return ""
    changed = "treatment" if one.treatment != asked.treatment else "block"
    return f"has another {changed} than campaign.json plans under this name"
