"""An environment whose runs are real processes of the emulated worker."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from harness.environments.base import Job, RunningJob
from harness.environments.process import ProcessJob

WORKER = Path(__file__).with_name("worker.py")


class EmulatedEnvironment:
    isolation = "virtualenv"
    version = "1.0"

    def __init__(self, behaviour: str = "works", stale: bool = False) -> None:
        self.behaviour, self.stale = behaviour, stale

    def prepare(self) -> None:
        """Nothing to prepare."""

    def describe(self) -> dict[str, Any]:
        return {"python": "3.11", "packages": {}, **({"stale": True} if self.stale else {})}

    def sweep(self) -> None:
        """Nothing is left: every worker holds a lease."""

    def start(self, job: Job) -> RunningJob:
        return ProcessJob(
            [sys.executable, str(WORKER), str(job.request), str(job.worker), self.behaviour], job
        )
