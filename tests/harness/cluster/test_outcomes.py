"""What became of a job: Slurm's states as squeue(1) lists them, and the job's own word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.cluster import outcomes
from harness.cluster.outcomes import JobState
from harness.cluster.records import Ending, ToldRecord

LIVE = [
    "PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT", "RESIZING",
    "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "RESV_DEL_HOLD", "SPECIAL_EXIT",
]  # fmt: skip
OVER = [
    "COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "OUT_OF_MEMORY", "BOOT_FAIL", "DEADLINE",
    "REVOKED",
]  # fmt: skip
STATES = st.sampled_from([*LIVE, *OVER, "", "A_STATE_OF_TOMORROW"])
ENDINGS = st.sampled_from(list(Ending))


def told(ending: Ending, reason: str = "why") -> ToldRecord:
    return ToldRecord(job_id="7", block=3, node="n1", ending=ending, reason=reason)


@pytest.mark.parametrize("state", LIVE)
def test_a_job_that_may_still_do_something_is_waited_for(state: str) -> None:
    assert not outcomes.is_over(JobState(state))


@pytest.mark.parametrize("state", [*OVER, "CANCELLED by 0", "CANCELLED+"])
def test_a_job_that_has_ended_is_over(state: str) -> None:
    assert outcomes.is_over(JobState(state))


def test_a_state_that_nobody_knows_is_waited_for() -> None:
    assert not outcomes.is_over(JobState("A_STATE_OF_TOMORROW"))


@pytest.mark.parametrize(
    ("state", "ending"),
    [
        ("CANCELLED by 1000", Ending.CANCELLED), ("TIMEOUT", Ending.TIME_LIMIT), ("PREEMPTED", Ending.PREEMPTED),
        ("NODE_FAIL", Ending.NODE_LOST), ("OUT_OF_MEMORY", Ending.OUT_OF_MEMORY), ("FAILED", Ending.FAILED),
        ("COMPLETED", Ending.FAILED), ("", Ending.NODE_LOST),
    ],
)  # fmt: skip
def test_without_its_own_word_slurm_s_counts(state: str, ending: Ending) -> None:
    found = outcomes.outcome(JobState(state), None)
    assert found.ending is ending
    assert found.reason


@given(STATES)
def test_a_block_that_is_home_is_done_whatever_ended_its_job(state: str) -> None:
    assert outcomes.outcome(JobState(state), told(Ending.DONE)).ending is Ending.DONE


@given(STATES, ENDINGS)
def test_no_job_is_done_that_does_not_say_so(state: str, ending: Ending) -> None:
    found = outcomes.outcome(JobState(state), told(ending) if ending is not Ending.DONE else None)
    assert found.ending is not Ending.DONE
    assert found.reason


@pytest.mark.parametrize("state", ["COMPLETED", "FAILED", ""])
def test_a_job_that_could_tell_its_reason_is_believed(state: str) -> None:
    assert outcomes.outcome(JobState(state), told(Ending.UNFIT, "no GPU")).reason == "no GPU"


def test_why_slurm_ended_it_says_more_than_that_it_was_told_to_end() -> None:
    assert outcomes.outcome(JobState("TIMEOUT"), told(Ending.CANCELLED)).ending is Ending.TIME_LIMIT


def test_a_job_that_waits_for_what_will_not_come_is_hopeless() -> None:
    assert outcomes.is_hopeless(JobState("PENDING", reason="PartitionTimeLimit"))
    assert not outcomes.is_hopeless(JobState("PENDING", reason="Resources"))
    assert not outcomes.is_hopeless(JobState("RUNNING", reason="PartitionTimeLimit"))


@pytest.mark.parametrize("state", [*LIVE, *OVER])
def test_a_job_whose_processes_stand_still_is_paused(state: str) -> None:
    assert outcomes.is_paused(JobState(state)) == (state in ("SUSPENDED", "STOPPED"))
