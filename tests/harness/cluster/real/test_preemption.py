"""An urgent job takes a campaign's nodes, in each way that Slurm has: the campaign goes on by --resume."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.cluster import block_job, disk, outcomes
from harness.cluster.places import Places
from harness.cluster.records import Ending
from tests.harness.cluster.real import jobs
from tests.harness.cluster.real.conftest import Shell
from tests.slurm import Slurm, wait_for

pytestmark = [pytest.mark.slurm, pytest.mark.unhurried, pytest.mark.frameworks]
BLOCKS = (1, 2, 3, 4)


def test_whoever_takes_the_node_is_the_outcome_s_reason_and_resume_completes_the_campaign(
    slurm: Slurm, shell: Shell, plan: Callable[..., Path], tmp_path: Path
) -> None:
    folder = tmp_path / "campaign"
    words = jobs.words(plan(blocks=len(BLOCKS), rounds=0))
    with jobs.ended(shell.start(*words, "--time", "10", "-o", folder)) as controller:
        told = [_preempted(slurm, folder, mode) for mode in ("REQUEUE", "CANCEL")]
        told.append(_suspended_and_let_go_on(slurm, folder))
        told.append(_suspended(slurm, folder))
        said, _ = controller.communicate(timeout=300)
    assert len({one.job_id for one in told}) == len(BLOCKS)
    assert controller.returncode == 1, said
    assert "Traceback" not in said
    endings = {one.job_id: one.ending for one in disk.jobs(Places(folder))}
    assert [endings[one.job_id] for one in told] == [Ending.PREEMPTED] * len(BLOCKS), said
    assert said.count("preempted: preempted by another job (job") == 2
    assert said.count(f"preempted: {outcomes.PAUSE} (job") == 2
    assert "suite run --resume" in said
    wait_for(lambda: slurm.processes() == [], jobs.WITHIN_S, "no orphan of any job")
    assert not any(jobs.lives(one.worker) for one in told)
    assert not any(_left_on_the_node(one) for one in told[:3])  # who was suspended gets no time to clear up
    jobs.complete(shell, folder, BLOCKS)
    assert not any(_left_on_the_node(one) for one in told)


def _preempted(slurm: Slurm, folder: Path, mode: str) -> jobs.Measuring:
    """By a job of a partition that goes before, which gets the node and does its work."""
    with _preempting_by(slurm, mode):
        one = jobs.measuring(slurm, folder)
        done = folder.parent / f"urgent-{mode}"
        urgent = ("--partition", "urgent", "--exclusive", "--nodelist", one.node, "--output", "/dev/null")
        slurm.ask("sbatch", *urgent, "--wrap", f"test ! -e /proc/{one.worker.pid} && touch {done}")
        wait_for(done.exists, jobs.WITHIN_S, f"the urgent job had the node for itself ({mode})")
    return one


@contextmanager
def _preempting_by(slurm: Slurm, mode: str) -> Iterator[None]:
    slurm.ask("scontrol", "update", "PartitionName=main", f"PreemptMode={mode}")
    try:
        yield
    finally:
        slurm.ask("scontrol", "update", "PartitionName=main", "PreemptMode=REQUEUE")


def _suspended(slurm: Slurm, folder: Path) -> jobs.Measuring:
    """As PreemptMode=SUSPEND does: Slurm would let the job go on later."""
    one = jobs.measuring(slurm, folder)
    slurm.ask("scontrol", "suspend", one.job_id)
    return one


def _suspended_and_let_go_on(slurm: Slurm, folder: Path) -> jobs.Measuring:
    """Between two looks at the queue: the job comes to its end, with the pause in its block."""
    one = jobs.measuring(slurm, folder)
    slurm.ask("scontrol", "suspend", one.job_id)
    slurm.ask("scontrol", "resume", one.job_id)
    wait_for(lambda: not jobs.lives(one.worker), jobs.WITHIN_S, "its run comes to its end")
    return one


def _left_on_the_node(one: jobs.Measuring) -> list[Path]:
    return list(Path(tempfile.gettempdir()).glob(f"{block_job.SCRATCH}{one.job_id}-*"))
