"""The records of a campaign on a cluster, read and written: whole files in a folder that all nodes see."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from harness import store
from harness.cluster.nodes import Collected
from harness.cluster.places import ASKED_FILE, BLOCK_FILE, REFERENCE_FILE, Places
from harness.cluster.records import BlockRecord, ClusterRecord, JobRecord, NodeRecord, ToldRecord
from harness.files import whole_files
from harness.files.record_files import read_record
from harness.records import CampaignRecord, Record

R = TypeVar("R", bound=Record)


def asked(places: Places) -> ClusterRecord:
    return read_record(ClusterRecord, places.folder, ASKED_FILE)


def jobs(places: Places) -> list[JobRecord]:
    """In the order in which they were submitted."""
    return sorted(_all(JobRecord, places.jobs), key=lambda one: int(one.job_id))


def keep_job(places: Places, job: JobRecord) -> None:
    store.write_record(places.jobs / f"{job.job_id}.json", job)


def told(places: Places, job_id: str) -> ToldRecord | None:
    """A job's own last word; None as long as it has none."""
    return _one(ToldRecord, places.told, f"{job_id}.json")


def node(places: Places, name: str) -> NodeRecord | None:
    return _one(NodeRecord, places.nodes, f"{name}.json")


def nodes(places: Places) -> list[NodeRecord]:
    return _all(NodeRecord, places.nodes)


def forget_unfit(places: Places) -> None:
    """They are examined again, once they get a job: somebody may have mended them."""
    for one in nodes(places):
        if not one.fit:
            (places.nodes / f"{one.node}.json").unlink()


def home(places: Places) -> frozenset[int]:
    """The blocks that have been collected: each came whole, by one rename."""
    return frozenset(int(one) for one in _names(places.blocks) if one.isascii() and one.isdigit())


def blocks(places: Places) -> list[Collected]:
    """What has been collected, by block."""
    return [collected(places.of_block(block)) for block in sorted(home(places))]


def collected(folder: Path) -> Collected:
    by = read_record(BlockRecord, folder, BLOCK_FILE)
    return Collected(by, read_record(CampaignRecord, folder, store.CAMPAIGN_FILE))


def reference(places: Places, here: CampaignRecord) -> CampaignRecord:
    """What all nodes are held against: the record of the first that asks, also of several that ask at once."""
    path = places.folder / REFERENCE_FILE
    if not path.exists():
        mine = path.with_name(f".{path.name}.{os.getpid()}.{os.uname().nodename}{whole_files.SUFFIX}")
        store.write_record(mine, here)
        try:
            os.link(mine, path)  # fails where another was first, on network file systems, too
        except FileExistsError:
            pass
        finally:
            mine.unlink()
    return read_record(CampaignRecord, places.folder, REFERENCE_FILE)


def _one(kind: type[R], folder: Path, name: str) -> R | None:
    return read_record(kind, folder, name) if os.path.lexists(folder / name) else None


def _all(kind: type[R], folder: Path) -> list[R]:
    return [read_record(kind, folder, name) for name in _names(folder) if name.endswith(".json")]


def _names(folder: Path) -> Iterable[str]:
    """None of files that are being written."""
    found = sorted(one.name for one in folder.iterdir()) if folder.is_dir() else []
    return [name for name in found if not name.startswith(".")]
