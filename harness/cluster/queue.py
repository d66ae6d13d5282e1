"""The scheduler, talked to: jobs are submitted and cancelled through submitit, and asked for by squeue."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from harness.cluster import options as told
from harness.cluster.asking import ANSWER_S, QueueSilent, asked, in_words
from harness.cluster.outcomes import JobState
from harness.cluster.records import SlurmOptions
from harness.errors import MissingPrerequisite, UsageError

PROGRAMS = ("sbatch", "srun", "squeue", "scancel", "sinfo")
FORM = "%i|%T|%N|%r"  # id, state, nodes, reason


def require() -> None:
    """Raises: MissingPrerequisite where there is no Slurm, or none that answers."""
    if missing := [name for name in PROGRAMS if shutil.which(name) is None]:
        raise MissingPrerequisite(
            f"--executor slurm needs Slurm, and {missing[0]} is not here: run it where sbatch works, or leave it out"
        )
    try:
        asked("sinfo", "--noheader", "--format=%P")
    except QueueSilent as error:
        raise MissingPrerequisite(f"Slurm does not answer ({error}): see scontrol ping") from error


def is_here() -> bool:
    return shutil.which("squeue") is not None


def submit(campaign: Path, block: int, options: SlurmOptions, excluded: Collection[str], logs: Path) -> str:
    """One job for a block; its id. Raises: UsageError where Slurm refuses it, in Slurm's words."""
    from submitit.core.utils import (
        FailedJobError,
        FailedSubmissionError,
    )  # half a second: no other command waits
    from submitit.slurm.slurm import SlurmExecutor

    from harness.cluster import block_job

    executor = SlurmExecutor(folder=logs, max_num_timeout=0)
    name = f"joulemark-{campaign.name}-{block}"
    executor.update_parameters(**told.parameters(options, name, excluded))
    try:
        return str(executor.submit(block_job.run, str(campaign), block).job_id)
    except (FailedSubmissionError, FailedJobError) as error:
        raise UsageError(f"Slurm refused the job of block {block}: {in_words(str(error))}") from error


def states(job_ids: Sequence[str]) -> Mapping[str, JobState]:
    """Of these jobs, those that Slurm still knows. Raises: QueueSilent."""
    if not job_ids:
        return {}
    ours = set(job_ids)
    lines = asked(
        "squeue", "--noheader", "--states=all", f"--user={_user()}", f"--format={FORM}"
    ).splitlines()
    found = (line.split("|", 3) for line in lines if line.count("|") >= 3)
    return {job_id: JobState(state, node, reason) for job_id, state, node, reason in found if job_id in ours}


def cancel(job_ids: Sequence[str]) -> None:
    """As far as Slurm answers: one that has ended is cancelled already, and one that goes on learns it by itself."""
    if job_ids:
        with suppress(subprocess.TimeoutExpired):
            subprocess.run(
                ["scancel", "--quiet", *job_ids], check=False, capture_output=True, timeout=ANSWER_S
            )


def nodes(options: SlurmOptions) -> set[str]:
    """The names of all that the jobs may run on. Raises: QueueSilent."""
    partition = [f"--partition={options.partition}"] if options.partition else []
    return set(asked("sinfo", "--noheader", "--Node", "--format=%N", *partition).split())


def _user() -> str:
    return str(os.getuid())
