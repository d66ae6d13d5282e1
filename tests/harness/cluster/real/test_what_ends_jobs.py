"""A node's daemon is killed, a job is cancelled, one takes too long: the campaign goes on by --resume, and is whole."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from harness.cluster import disk
from harness.cluster.places import Places
from harness.cluster.records import Ending
from tests.harness.cluster.real import jobs
from tests.harness.cluster.real.conftest import Shell
from tests.harness.cluster.real.jobs import ended, ending_of, job_of, job_told, worker_of
from tests.slurm import NODES, Slurm, wait_for

pytestmark = [pytest.mark.slurm, pytest.mark.unhurried, pytest.mark.frameworks]
WITHIN_S = 120.0
BLOCKS = (1, 2, 3)
SUBMITTED = "submitit.core._submit"  # what a job runs


@pytest.fixture(scope="module")
def words(plan: Callable[..., Path]) -> list[object]:
    return jobs.words(plan(blocks=len(BLOCKS), rounds=0))


def test_each_end_has_its_reason_and_resume_completes_the_campaign(
    slurm: Slurm, shell: Shell, words: list[object], tmp_path: Path
) -> None:
    folder = tmp_path / "campaign"
    with ended(shell.start(*words, "--time", "1", "-o", folder)) as controller:
        lost = _kill_the_measuring_node(slurm, folder)
        cancelled = _cancel_the_other(slurm, folder, lost)
        stuck = _stop_the_next_job(slurm, folder, {lost, cancelled})
        wait_for(lambda: ending_of(folder, lost) is not None, WITHIN_S, "the lost node is noticed")
        slurm.start_node(_node_of(folder, lost))
        said, _ = controller.communicate(timeout=300)
    assert controller.returncode == 1, said
    assert ending_of(folder, lost) is Ending.NODE_LOST, said
    assert ending_of(folder, cancelled) is Ending.CANCELLED, said
    assert [one.ending for one in disk.jobs(Places(folder))].count(Ending.TIME_LIMIT) == 1, said
    assert "Traceback" not in said
    assert "suite run --resume" in said
    assert not stuck.is_running()
    wait_for(lambda: slurm.processes() == [], WITHIN_S, "no orphan of any job")
    _status_tells(shell, folder)
    jobs.complete(shell, folder, BLOCKS)


def _kill_the_measuring_node(slurm: Slurm, folder: Path) -> int:
    """While a block is measured there; its worker stands still, so that the block does not end before."""
    wait_for(lambda: worker_of(slurm), WITHIN_S, "a block is measured")
    worker = worker_of(slurm)
    assert worker is not None
    job_id = job_told(worker, "SLURM_JOB_ID")
    worker.suspend()
    slurm.kill_node(job_told(worker, "SLURMD_NODENAME"))
    return next(one.block for one in disk.jobs(Places(folder)) if one.job_id == job_id)


def _cancel_the_other(slurm: Slurm, folder: Path, but: int) -> int:
    """It waits on the other node until nobody else measures on the host."""
    job = next(one for one in disk.jobs(Places(folder)) if one.block != but)
    slurm.ask("scancel", job.job_id)
    return job.block


def _stop_the_next_job(slurm: Slurm, folder: Path, but: set[int]) -> psutil.Process:
    """Of another block than these, while it waits for the host, which the lost one still holds."""
    stopped: list[psutil.Process] = []

    def stops() -> bool:
        blocks = {one.job_id: one.block for one in disk.jobs(Places(folder))}
        for one in slurm.processes():
            with suppress(psutil.Error):
                block = blocks.get(one.environ().get("SLURM_JOB_ID", ""))
                if (
                    block is not None
                    and block not in but
                    and SUBMITTED in one.cmdline()
                    and one.name() != "srun"
                ):
                    one.suspend()
                    stopped.append(one)
        return bool(stopped)

    wait_for(stops, WITHIN_S, "another block has its job")
    threading.Thread(target=_hold, args=stopped[:1], daemon=True).start()
    return stopped[0]


def _hold(one: psutil.Process) -> None:
    """Slurm lets it go on at its time limit, and a quick machine would be done before it is killed."""
    with suppress(psutil.NoSuchProcess):
        while one.is_running():
            one.suspend()
            time.sleep(0.02)


def _node_of(folder: Path, block: int) -> str:
    job = job_of(folder, block)
    assert job is not None
    assert job.node in NODES
    return str(job.node)


def _status_tells(shell: Shell, folder: Path) -> None:
    code, told = shell.suite("status", folder)
    assert code == 0
    assert "interrupted, 0 of 3 runs done" in told
    for words in ("node lost", "cancelled", "time limit"):
        assert words in told
