"""What stands on disk of a campaign on a cluster, beside its runs: what was asked, each job, node and block."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from harness.records import Record
from harness.records.base import FORMAT_VERSION, Count, TimeNs

# What sbatch takes as a value, and no line of a batch file can be broken by.
Word = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.,:=/+*&|()\[\]@-]*$", max_length=200)]
NodeName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$", max_length=255)]
JobId = Annotated[str, Field(pattern=r"^[0-9]{1,20}$")]
Reason = Annotated[str, Field(max_length=2000)]


class Ending(StrEnum):
    """How a job ended, for its block: `unfit` is the node's fault, `refused` the plan's on any node."""

    DONE = "done"
    UNFIT = "unfit"
    REFUSED = "refused"
    FAILED = "failed"
    CANCELLED = "cancelled"
    TIME_LIMIT = "time limit"
    PREEMPTED = "preempted"
    NODE_LOST = "node lost"
    OUT_OF_MEMORY = "out of memory"


class SlurmOptions(Record):
    """What sbatch is told of every job. `nodes`: how many work at once; `minutes`: what a job may take."""

    partition: Word | None = None
    gres: Word | None = None
    constraint: Word | None = None
    account: Word | None = None
    qos: Word | None = None
    nodes: Annotated[int, Field(ge=1, le=10_000)]
    minutes: Annotated[int, Field(ge=1)]


class ClusterRecord(Record):
    """cluster/asked.json: with which options and environments the blocks are carried out, proven first or not."""

    format_version: int = FORMAT_VERSION
    options: SlurmOptions
    isolation: str
    device: str
    interpreter: str = ""
    verify: bool = True


class JobRecord(Record):
    """cluster/jobs/<id>.json, the controller's: which block a job has, and how it ended once it has.

    `state`: Slurm's last word on it.
    """

    format_version: int = FORMAT_VERSION
    job_id: JobId
    block: Count
    submitted: str
    node: NodeName | None = None
    state: Annotated[str, Field(max_length=64)] = ""
    ending: Ending | None = None
    reason: Reason = ""


class ToldRecord(Record):
    """cluster/told/<id>.json, the job's own last word."""

    format_version: int = FORMAT_VERSION
    job_id: JobId
    block: Count
    node: NodeName
    ending: Ending
    reason: Reason = ""


class CheckRecord(Record):
    """One of doctor's checks on a node."""

    name: Annotated[str, Field(max_length=200)]
    level: Annotated[str, Field(max_length=16)]
    state: Reason


class NodeRecord(Record):
    """cluster/nodes/<name>.json: whether a node is fit for the plan, what doctor said, and its control workload.

    `control_s`: None where it did not come to its end. `booted_s`: the time of day at which its clock stood at 0.
    """

    format_version: int = FORMAT_VERSION
    node: NodeName
    reason: Reason = ""  # why it gets no work; empty: it is fit
    checks: Annotated[tuple[CheckRecord, ...], Field(max_length=1000)] = ()
    control_s: float | None = None
    booted_s: float = 0.0

    @property
    def fit(self) -> bool:
        return not self.reason


class BlockRecord(Record):
    """block.json beside what a job collected: by whom, where, and when it held the machine (CLOCK_MONOTONIC)."""

    format_version: int = FORMAT_VERSION
    block: Count
    job_id: JobId
    node: NodeName
    booted_s: float
    begin_ns: TimeNs
    end_ns: TimeNs
