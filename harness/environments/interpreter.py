"""A Python that the user names: a cluster's module, a conda environment. Versions are recorded, not pinned."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from harness.devices import HOST
from harness.environments import probe
from harness.environments.base import Job, RunningJob
from harness.environments.frameworks import Framework
from harness.environments.process import ProcessJob, sweep_homes, worker_command
from harness.errors import MissingPrerequisite


class InterpreterEnvironment:
    """The named interpreter; its framework's version is whatever it holds."""

    isolation = "interpreter"

    def __init__(self, framework: Framework, python: str, device: str = HOST) -> None:
        self._framework, self._device = framework, device
        found = shutil.which(Path(python).expanduser())
        if found is None:
            raise MissingPrerequisite(
                f"no interpreter {python}; name one with --environment interpreter=PATH"
            )
        self._python = Path(found).absolute()
        self._inside = probe.probe(self._python)

    @property
    def version(self) -> str:
        """The framework's version inside, without a build's suffix (2.13.0+cpu is 2.13.0).

        Raises: MissingPrerequisite if the interpreter lacks the framework.
        """
        package = self._framework.package
        if package not in self._inside["packages"]:
            raise MissingPrerequisite(f"{self._python} holds no {package}; install it there or leave it out")
        return str(self._inside["packages"][package]).split("+")[0]

    def prepare(self) -> None:
        assert self.version

    def describe(self) -> dict[str, Any]:
        return {**self._inside, "interpreter": str(self._python)}

    def start(self, job: Job) -> RunningJob:
        return ProcessJob(worker_command(self._python, job), job, self._device)

    def sweep(self) -> None:
        sweep_homes()
