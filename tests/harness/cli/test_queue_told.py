"""What `suite status` says of the queue, from the records on disk and from what Slurm answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from harness.cli import queue_told
from harness.cluster import disk, queue
from harness.cluster.asking import QueueSilent
from harness.cluster.outcomes import JobState
from harness.cluster.places import BLOCK_FILE, Places
from harness.cluster.records import BlockRecord, Ending, JobRecord, NodeRecord
from harness.store import write_record
from tests.campaigns import Recipe, build

BLOCKS = 6
Answers = Callable[[Mapping[str, JobState]], list[str]]


@pytest.fixture
def lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Answers:
    """Of a campaign with one block of each kind: done, running, pending, cancelled, gone, not submitted."""
    built = build(tmp_path / "c", Recipe(blocks=BLOCKS, unfinished=2 * BLOCKS))
    places = Places(built.folder)
    places.make()
    places.of_block(1).mkdir()
    by = BlockRecord(block=1, job_id="1", node="n1", booted_s=0.0, begin_ns=0, end_ns=1)
    write_record(places.of_block(1) / BLOCK_FILE, by)
    for block in range(1, BLOCKS):
        disk.keep_job(places, JobRecord(job_id=str(block), block=block, submitted=""))
    ended = {"ending": Ending.CANCELLED, "reason": "cancelled (scancel)", "node": "n2"}
    disk.keep_job(places, JobRecord(job_id="4", block=4, submitted="").model_copy(update=ended))
    write_record(places.nodes / "n3.json", NodeRecord(node="n3", reason="no GPU"))

    def told(answers: Mapping[str, JobState]) -> list[str]:
        monkeypatch.setattr(queue, "is_here", lambda: bool(answers))
        monkeypatch.setattr(queue, "states", lambda job_ids: answers)
        return list(queue_told.lines(built.folder, built.order))

    return told


def test_each_block_is_told_by_what_it_does(lines: Answers) -> None:
    first, *rest = lines({"2": JobState("RUNNING", "n1"), "3": JobState("PENDING", "", "Resources")})
    assert first == "blocks: 1 done, 1 running, 1 pending, 1 not done, 1 not told, 1 not submitted"
    assert rest == [
        "block 2: running on n1 (job 2)",
        "block 3: pending, Resources (job 3)",
        "block 4: cancelled on n2: cancelled (scancel) (job 4)",
        "block 5: left the queue (job 5); suite run --resume looks what became of it",
        "n3 gets no work: no GPU",
    ]


def test_where_nobody_can_ask_the_records_alone_are_told(lines: Answers) -> None:
    first, second, *_ = lines({})
    assert first == "blocks: 1 done, 3 submitted, 1 not done, 1 not submitted"
    assert second == "block 2: submitted (job 2); Slurm does not answer here"


def test_a_silent_scheduler_is_no_error(
    lines: Answers, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lines({})

    def silent(job_ids: object) -> None:
        raise QueueSilent("no answer")

    monkeypatch.setattr(queue, "is_here", lambda: True)
    monkeypatch.setattr(queue, "states", silent)
    assert "3 submitted" in next(
        iter(queue_told.lines(tmp_path / "c", build(tmp_path / "d", Recipe(blocks=6)).order))
    )
