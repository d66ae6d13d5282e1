"""A worker in an Apptainer image: processes of this user on the host, in namespaces of their own."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil

from harness.devices import HOST
from harness.environments import apptainer_command
from harness.environments.base import Job
from harness.environments.process import MARK, OF_NO_MEMORY, ProcessJob, signal_name
from harness.environments.sandbox import memory_told

SHELLS = 128  # added to the number of the signal that ended the worker


class ApptainerJob(ProcessJob):
    """Apptainer's own process, the init of the worker's namespace below it, the worker below that.

    What is started inside cannot outlive that init, whatever group or session it makes for itself.
    """

    def __init__(self, program: str, root: Path, job: Job, device: str = HOST) -> None:
        self._program, self._root, self._device = program, root, device
        self._known: list[psutil.Process] = []
        super().__init__(apptainer_command.worker(job), job, device)

    def _command(self, command: Sequence[str], job: Job) -> Sequence[str]:
        binds = apptainer_command.binds(job, self._home)
        variables = {**apptainer_command.variables(job), MARK: self._mark}
        inside = apptainer_command.inside(self._program, self._root, binds, variables, command, self._device)
        return apptainer_command.bounded(job, inside, self._device)

    def _variables(self, job: Job) -> dict[str, str]:
        return {**outer_variables(), "HOME": str(self._home), MARK: self._mark}

    @property
    def pid(self) -> int:
        """The worker's own once there is one: some 45 MB of memory of the two above it are not the run's."""
        return self.worker_pid or self._process.pid

    @property
    def worker_pid(self) -> int:
        with contextlib.suppress(psutil.Error):
            for init in psutil.Process(self._process.pid).children():
                for worker in init.children():
                    return worker.pid
        return 0

    def stop(self) -> None:
        self._known = self._tree()
        super().stop()

    def _family(self) -> Iterator[psutil.Process]:
        """Also what has lost its mark, as Apptainer's own processes have, or its place below them."""
        yield from self._known
        yield from super()._family()

    def _tree(self) -> list[psutil.Process]:
        """All that lives, Apptainer's first process among them; its id may be another's once it has ended."""
        with contextlib.suppress(psutil.Error):
            if self._process.poll() is None:
                first = psutil.Process(self._process.pid)
                return [*first.children(recursive=True), first]
        return []

    def failure(self) -> str | None:
        """Apptainer tells a signal as a shell does."""
        number = (self._process.poll() or 0) - SHELLS
        if number <= 0 or number > 64:
            return super().failure()
        hint = f" (out of memory? {memory_told(self._limits)})" if number in OF_NO_MEMORY else ""
        return f"ended by {signal_name(number)}{hint}"


def outer_variables() -> dict[str, str]:
    """Where Apptainer finds its helpers; none of the user's own settings of it, which would open what is closed."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"}
