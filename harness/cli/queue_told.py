"""How the blocks of a campaign on a cluster are: what `suite status` says of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from harness.cluster import disk, outcomes, queue, work
from harness.cluster.asking import QueueSilent
from harness.cluster.outcomes import JobState
from harness.cluster.places import Places
from harness.cluster.records import Ending, JobRecord
from harness.records import PlannedRun
from reports.formats import plural

SHOWN = 40  # blocks that are told one by one


def lines(folder: Path, order: tuple[PlannedRun, ...]) -> Iterator[str]:
    """How many blocks are done, at work, waiting and missing; then each that is at work or did not come home."""
    places = Places(folder)
    done = disk.home(places)
    latest = work.latest(disk.jobs(places))
    states = _states([one for one in latest.values() if one.ending is None])
    told = {block: _told(block, done, latest.get(block), states) for block in work.blocks_of(order)}
    counts = Counter(kind for kind, _ in told.values())
    yield f"blocks: {', '.join(f'{count} {kind}' for kind, count in counts.items())}"
    shown = [line for kind, line in told.values() if line and kind != "done"]
    yield from shown[:SHOWN]
    if len(shown) > SHOWN:
        yield f"and {plural(len(shown) - SHOWN, 'more block')}"
    for node, reason in work.unfit(disk.nodes(places)).items():
        yield f"{node} gets no work: {reason}"


def _states(live: list[JobRecord]) -> Mapping[str, JobState] | None:
    """None where nobody here can ask."""
    try:
        return queue.states([one.job_id for one in live]) if queue.is_here() else None
    except QueueSilent:
        return None


def _told(
    block: int, done: frozenset[int], job: JobRecord | None, states: Mapping[str, JobState] | None
) -> tuple[str, str]:
    """What kind of state it is in, and in words."""
    if block in done:
        return "done", ""
    if job is None or job.ending is Ending.UNFIT:
        return "not submitted", ""
    if job.ending is not None:
        where = f" on {job.node}" if job.node else ""
        return "not done", f"block {block}: {job.ending}{where}: {job.reason} (job {job.job_id})"
    if states is None:
        return "submitted", f"block {block}: submitted (job {job.job_id}); Slurm does not answer here"
    state = states.get(job.job_id, JobState(""))
    if state.word in outcomes.AT_WORK:
        return "running", f"block {block}: running on {state.node} (job {job.job_id})"
    if outcomes.is_over(state):
        return (
            "not told",
            f"block {block}: left the queue (job {job.job_id}); suite run --resume looks what became of it",
        )
    why = f", {state.reason}" if state.reason not in ("", "None") else ""
    return "pending", f"block {block}: pending{why} (job {job.job_id})"
