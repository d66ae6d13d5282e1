"""A campaign of jobs as tests start, see and complete it: whose worker measures, and how a block's job ended."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from harness import store
from harness.cluster import disk, work
from harness.cluster.places import Places
from harness.cluster.records import Ending, JobRecord
from tests.harness.cluster.real.conftest import Shell
from tests.slurm import Slurm, wait_for

WITHIN_S = 120.0


def words(profile: Path) -> list[object]:
    return [
        "run", "--all", "--profile", profile, "--environment", "virtualenv", "--executor", "slurm",
    ]  # fmt: skip


@contextmanager
def ended(process: subprocess.Popen[str]) -> Iterator[subprocess.Popen[str]]:
    try:
        yield process
    finally:
        with suppress(psutil.NoSuchProcess):
            process.terminate()
        process.communicate(timeout=120)


def job_of(folder: Path, block: int) -> JobRecord | None:
    return work.latest(disk.jobs(Places(folder))).get(block) if (folder / "cluster").is_dir() else None


def worker_of(slurm: Slurm) -> psutil.Process | None:
    """Of the run that is being measured, on whichever node; itself, it knows of no job."""
    with suppress(psutil.Error):
        return next((one for one in slurm.processes() if "suite.run" in one.cmdline()), None)
    return None


def lives(process: psutil.Process) -> bool:
    """Not where it has ended, and nobody asked how: who started it may be gone, too."""
    with suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def job_told(worker: psutil.Process, name: str) -> str:
    """A variable of the job whose worker it is."""
    return next(found for one in worker.parents() if (found := one.environ().get(name)))


@dataclass(frozen=True)
class Measuring:
    """A job in the middle of its block: its worker stands still, so that the block does not end before."""

    worker: psutil.Process
    job_id: str
    node: str


def measuring(slurm: Slurm, folder: Path) -> Measuring:
    """Of a block, not of what a node is examined by before its first."""
    found: list[Measuring] = []

    def stands_still() -> bool:
        with suppress(psutil.Error, StopIteration):  # whoever ends meanwhile
            if (worker := worker_of(slurm)) and lives(worker):
                one = Measuring(worker, job_told(worker, "SLURM_JOB_ID"), job_told(worker, "SLURMD_NODENAME"))
                if disk.node(Places(folder), one.node):
                    worker.suspend()
                    found.append(one)
        return bool(found)

    wait_for(stands_still, WITHIN_S, "a block is measured")
    return found[0]


def ending_of(folder: Path, block: int) -> Ending | None:
    job = job_of(folder, block)
    return job.ending if job else None


def complete(shell: Shell, folder: Path, blocks: Sequence[int]) -> None:
    """By --resume: nothing lost, nothing twice."""
    code, said = shell.suite("run", "--resume", folder, "--time", "10")
    assert code == 0, said
    read = store.load_campaign(folder)
    assert Counter(run.record.planned.block for run in read.runs) == dict.fromkeys(blocks, 1)
    taken = Counter(block for one in read.record.sources for block in one.taken)
    assert taken == dict.fromkeys(blocks, 1)
