"""A campaign of six blocks that one version of the suite began, each of whose runs tells which made it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from harness import store
from harness.records import RunRecord
from harness.store import Campaign
from tests.campaigns import Recipe, build

OLD, NEW = "0.1.0 (commit 8dfc059ab012)", "0.2.0 (commit 04b091c944b8, changed)"
MESSAGE = f"measured by joulemark {OLD} in blocks 1 to 4, joulemark {NEW} in blocks {{}} to 6"
ByWhom = Callable[[RunRecord], str]


def made(folder: Path, by_whom: ByWhom, began: str = OLD) -> Campaign:
    campaign = build(folder, Recipe(blocks=6, more_workloads=("resnet",)))
    record = campaign.record.model_copy(update={"made_by": began})
    store.write_record(folder / store.CAMPAIGN_FILE, record)
    for run in campaign.runs:
        told = run.record.model_copy(update={"made_by": by_whom(run.record)})
        store.write_record(run.folder / store.RUN_FILE, told)
    return store.load_campaign(folder)


def from_block(first: int) -> ByWhom:
    return lambda record: NEW if record.planned.block >= first else OLD


def from_the_middle_of_resnet(record: RunRecord) -> str:
    """In block 4, whose runs of the other workload are all of before."""
    late = record.planned.treatment.workload == "resnet" and record.planned.treatment.framework == "torch"
    return NEW if record.planned.block > 4 or (record.planned.block == 4 and late) else OLD
