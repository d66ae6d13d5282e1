"""A suspension that is over tells itself: answers of Slurm's scontrol, and one that does not answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.cluster import asking, suspensions
from harness.cluster.asking import QueueSilent
from harness.cluster.suspensions import NotTold

# Of Slurm 22.05, shortened.
ANSWER = """\
JobId=1 JobName={name}
   UserId=root(0) GroupId=root(0) MCS_label=N/A
   JobState=RUNNING Reason=None Dependency=(null)
   StartTime=2026-11-26T09:12:35 EndTime=Unknown Deadline=N/A
   PreemptEligibleTime=2026-11-26T09:12:35 PreemptTime=None
   SuspendTime={suspended} SecsPreSuspend={before_s} LastSchedEval=2026-11-26T09:12:35 Scheduler=Main
   Partition=main AllocNode:Sid=localhost:29533
"""


def answer(suspended: str = "None", before_s: int = 0, name: str = "wrap") -> str:
    return ANSWER.format(name=name, suspended=suspended, before_s=before_s)


def test_one_that_was_never_suspended() -> None:
    assert not suspensions.told(answer())
    assert not suspensions.told(answer(name="SuspendTime=2026-11-26T09:12:37"))


@pytest.mark.parametrize("before_s", [0, 1, 300])
def test_one_that_was_let_go_on_was_suspended_also_in_its_first_second(before_s: int) -> None:
    assert suspensions.told(answer("2026-11-26T09:12:37", before_s))
    assert suspensions.told(answer("2026-11-26T09:12:37", before_s, name="SuspendTime=None"))


@pytest.mark.parametrize("said", ["", "slurm_load_jobs error: Invalid job id specified", "JobId=1"])
def test_an_answer_without_a_word_on_it_is_none(said: str) -> None:
    with pytest.raises(QueueSilent):
        suspensions.told(said)


@pytest.fixture
def scontrol(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that is still to be written."""
    (program := tmp_path / "scontrol").touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(suspensions, "ASK_AGAIN_S", 0.01)
    return program


def test_a_scheduler_that_is_started_anew_is_waited_for(scontrol: Path, tmp_path: Path) -> None:
    (tmp_path / "answer").write_text(answer("2026-11-26T09:12:37"))
    scontrol.write_text(
        f"#!/bin/sh\ncd {tmp_path}\ntest -e asked && exec cat answer\ntouch asked\n"
        "echo 'scontrol: error: Unable to contact slurm controller' >&2\nexit 1\n"
    )
    assert suspensions.was_suspended("1")


@pytest.mark.parametrize(
    ("script", "why"),
    [("echo error: no controller >&2; exit 1", "no controller"), ("echo late >&2; exec sleep 5", "late")],
)
def test_one_that_stays_silent_is_told_in_its_words(
    scontrol: Path, monkeypatch: pytest.MonkeyPatch, script: str, why: str
) -> None:
    scontrol.write_text(f"#!/bin/sh\n{script}\n")
    monkeypatch.setattr(suspensions, "PATIENCE_S", 0.0)
    monkeypatch.setattr(asking, "ANSWER_S", 0.3)
    with pytest.raises(NotTold, match=f"does not tell whether the job was suspended: .*{why}"):
        suspensions.was_suspended("1")
