"""Whether a job was ever suspended, asked on its node: Slurm tells it also after the job was let go on.

scontrol(1), show job: SuspendTime is when a job was last suspended or resumed, None of one that never was.
SecsPreSuspend says less: it is 0 where a job was suspended in its first second.
"""

from __future__ import annotations

import re
import shutil
import time

from harness.cluster.asking import QueueSilent, asked
from harness.errors import SuiteError

SCONTROL = "scontrol"
NEVER = {"None", "Unknown"}
# At the beginning of a line: a job's name may hold anything.
TOLD = re.compile(r"^\s*SuspendTime=(\S+)", re.MULTILINE)
PATIENCE_S = 300.0  # a controller that is started anew is back by then
ASK_AGAIN_S = 10.0


class NotTold(SuiteError):
    """Slurm does not say whether it has suspended the job."""


def lacking() -> str:
    """Why nobody can ask here; empty where one can."""
    return (
        "" if shutil.which(SCONTROL) else f"{SCONTROL}, which tells whether a job was suspended, is not here"
    )


def was_suspended(job_id: str) -> bool:
    """At any time since it began. Raises: NotTold where Slurm is silent for PATIENCE_S."""
    end_s = time.monotonic() + PATIENCE_S
    while True:
        try:
            return told(asked(SCONTROL, "show", "job", job_id))
        except QueueSilent as error:
            if time.monotonic() + ASK_AGAIN_S > end_s:
                raise NotTold(f"Slurm does not tell whether the job was suspended: {error}") from error
        time.sleep(ASK_AGAIN_S)


def told(answer: str) -> bool:
    """What `scontrol show job` says. Raises: QueueSilent where it says nothing of it."""
    if not (times := TOLD.findall(answer)):
        raise QueueSilent("no SuspendTime in its answer")
    return not NEVER.issuperset(times)
