"""The interface of an environment: prepare once, describe, start a job, stop it whatever happens."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from harness.records import Limits


@dataclass(frozen=True)
class Job:
    """One run as an environment needs to know it. The folders are the host's paths."""

    run_id: str
    console: Path  # file for what the worker prints; written by the environment
    request: Path  # folder, read only
    worker: Path  # folder of the worker's pipes, of which it sees no more than these
    data: Path  # read only
    state: Path | None  # read only
    cpus: tuple[int, ...]  # logical CPUs that the worker may use
    limits: Limits
    compiles: bool = False  # to files that it then executes: scratch allows it


class RunningJob(Protocol):
    """A started worker. `stop` leaves no process behind and may be called more than once."""

    @property
    def pid(self) -> int:
        """The worker's first process as the host counts it; its tree and its cgroup are the run's."""

    @property
    def worker_pid(self) -> int:
        """Of the process that computes, as the host counts it, once it is ready; 0 where it has ended."""

    def poll(self) -> int | None:
        """The exit code, None while it runs."""

    def stop(self) -> None:
        """Ends the worker and all its children, and removes what the engine kept of them."""

    def failure(self) -> str | None:
        """What the environment knows of a failure that an exit code hides (out of memory), if any."""


class Environment(Protocol):
    """One framework in one version, isolated."""

    @property
    def isolation(self) -> str:
        """docker, apptainer, virtualenv or interpreter."""

    @property
    def version(self) -> str:
        """The framework's version, without a build's suffix."""

    def prepare(self) -> None:
        """Builds or checks the environment. Raises: MissingPrerequisite with the remedy."""

    def describe(self) -> dict[str, Any]:
        """What is inside, for run.json: python, packages, hashes; JSON types only."""

    def start(self, job: Job) -> RunningJob:
        """Starts the worker."""

    def sweep(self) -> None:
        """Removes what harnesses left that are gone (killed, crashed), and what this one could not remove in time.

        Only under the machine's lock, while no run is under way. Raises: MissingPrerequisite if the engine fails.
        """


def thread_variables(threads: int) -> dict[str, str]:
    """The variables by which numerical libraries learn their number of threads before they load."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
    return {name: str(threads) for name in names}


WORKER_VARIABLES = {
    "PYTHONHASHSEED": "0",
    "PYTHONUNBUFFERED": "1",
    "PYTHONNOUSERSITE": "1",
    "LANG": "C.UTF-8",
}


def worker_variables(job: Job) -> dict[str, str]:
    """The whole environment of a worker: nothing of the host's own variables gets in."""
    return {**thread_variables(len(job.cpus)), **WORKER_VARIABLES}
