"""What became of a job, from Slurm's word and its own: pure.

States as squeue(1) names them, JOB STATE CODES. The job's own word counts more: one that has collected its block has
done it, whatever ended it afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.cluster.records import Ending, ToldRecord

WAITING = frozenset(
    {"PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "RESV_DEL_HOLD", "SPECIAL_EXIT"}
)
AT_WORK = frozenset({"RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT", "RESIZING"})
OVER = {
    "CANCELLED": (Ending.CANCELLED, "cancelled (scancel)"),
    "TIMEOUT": (Ending.TIME_LIMIT, "it took longer than its time limit: give more by --time"),
    "DEADLINE": (Ending.TIME_LIMIT, "its deadline passed"),
    "PREEMPTED": (Ending.PREEMPTED, "preempted by another job"),
    "NODE_FAIL": (Ending.NODE_LOST, "its node failed"),
    "BOOT_FAIL": (Ending.NODE_LOST, "its node did not boot"),
    "REVOKED": (Ending.NODE_LOST, "another cluster took it over"),
    "OUT_OF_MEMORY": (Ending.OUT_OF_MEMORY, "the job took more memory than the node gave it"),
    "FAILED": (Ending.FAILED, "it ended without a word"),
    "COMPLETED": (Ending.FAILED, "it ended without a word"),
}
PAUSED = frozenset({"SUSPENDED", "STOPPED"})
PAUSE = "suspended, as for another job: what it measures would have the pause in it"
GONE = "it is no longer in the queue, and nobody knows how it ended"
UNSTARTED = "it cannot start: "
# Reasons for which a waiting job waits for ever (squeue(1), JOB REASON CODES).
HOPELESS = (
    "DependencyNeverSatisfied",
    "BadConstraints",
    "InvalidAccount",
    "InvalidQOS",
    "PartitionTimeLimit",
    "launch failed",
)


@dataclass(frozen=True)
class JobState:
    """Slurm's word on a job: its state, node and reason; `state` is empty where Slurm no longer knows the job."""

    state: str
    node: str = ""
    reason: str = ""

    @property
    def word(self) -> str:
        """The state without what follows it: "CANCELLED by 0"."""
        return self.state.partition(" ")[0].rstrip("+").upper()


@dataclass(frozen=True)
class JobOutcome:
    ending: Ending
    reason: str


def is_over(state: JobState) -> bool:
    """Whether no process of it is to be waited for; a state that nobody knows is taken for one under way."""
    return not state.word or state.word in OVER


def is_paused(state: JobState) -> bool:
    """Whether Slurm has stopped its processes, to let them go on later."""
    return state.word in PAUSED


def is_hopeless(state: JobState) -> bool:
    """Whether it waits for what will not come."""
    return state.word in WAITING and any(one in state.reason for one in HOPELESS)


def outcome(state: JobState, told: ToldRecord | None) -> JobOutcome:
    """Of a job that is over."""
    if told is not None and told.ending is Ending.DONE:
        return JobOutcome(Ending.DONE, told.reason)
    found = OVER.get(state.word)
    if found and found[0] is not Ending.FAILED:
        return JobOutcome(*found)
    if told is not None:
        return JobOutcome(told.ending, told.reason)
    return JobOutcome(*found) if found else JobOutcome(Ending.NODE_LOST, GONE)
