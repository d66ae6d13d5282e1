"""A worker as a plain process group of the host: what virtualenv and interpreter share."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil

from harness import paths
from harness.devices import HOST
from harness.environments import interrupts, process_mark
from harness.environments.base import Job, worker_variables
from harness.environments.sandbox import memory_bytes, memory_told
from harness.files.removing import remove

STOP_TIMEOUT_S = 5.0
MARK = "JOULEMARK_RUN"
# What ends a program for which there is no memory: the kernel, or what it does not check, or gives up for.
OF_NO_MEMORY = (signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS)
HOME_PREFIX = "joulemark-home-"  # then the harness' mark, so that what it leaves can be told


class ProcessJob:
    """A worker in a session of its own, so that Ctrl-C reaches the harness alone, which then ends the group."""

    def __init__(self, command: Sequence[str], job: Job, device: str = HOST) -> None:
        self._limits = job.limits
        self._mark = f"{job.run_id}-{uuid.uuid4()}"
        with interrupts.held(), job.console.open("xb") as console:
            self._home = Path(tempfile.mkdtemp(prefix=f"{HOME_PREFIX}{_in_a_name(process_mark.own())}-"))
            self._process = subprocess.Popen(
                self._command(command, job),
                cwd=job.worker,
                env=self._variables(job),
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        # The worker has a single thread until it hears "go", so this binds all that it will ever start.
        with contextlib.suppress(ProcessLookupError):
            os.sched_setaffinity(self._process.pid, job.cpus)
            largest = job.limits.scratch_bytes  # of any file, its console among them
            resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE, (largest, largest))
            self._bound_memory(device)

    def _bound_memory(self, device: str) -> None:
        """Of what it may write to, but a GPU's driver reserves more; of all programs the kernel ends it first."""
        with contextlib.suppress(OSError):
            Path(f"/proc/{self._process.pid}/oom_score_adj").write_text("1000")
        if device == HOST:
            most = memory_bytes(self._limits)
            resource.prlimit(self._process.pid, resource.RLIMIT_DATA, (most, most))

    def _command(self, command: Sequence[str], job: Job) -> Sequence[str]:
        """What is started: the worker itself, unless something stands around it."""
        return command

    def _variables(self, job: Job) -> dict[str, str]:
        return {
            **worker_variables(job),
            MARK: self._mark,
            "PATH": os.defpath,
            "HOME": str(self._home),
            "TMPDIR": str(self._home),
            "PYTHONPATH": str(paths.worker_path()),
        }

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def worker_pid(self) -> int:
        return self._process.pid

    def poll(self) -> int | None:
        return self._process.poll()

    def stop(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(STOP_TIMEOUT_S)
        for process in self._family():
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        self._process.wait()
        remove(self._home)

    def _family(self) -> Iterator[psutil.Process]:
        """The worker and all that it ever started, also what left its group or outlived it: by their mark."""
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.environ().get(MARK) == self._mark:
                    yield process

    def failure(self) -> str | None:
        code = self._process.poll()
        if code is None or code >= 0:
            return None
        hint = f" (out of memory? {memory_told(self._limits)})" if -code in OF_NO_MEMORY else ""
        return f"ended by {signal_name(-code)}{hint}"


def signal_name(number: int) -> str:
    """Most of the real-time signals have none."""
    return signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"


def _in_a_name(mark: str) -> str:
    return mark.replace(":", "-")


def sweep_homes() -> None:
    """Removes the homes of workers whose harness is gone (killed, crashed). Only under the machine's lock."""
    for home in Path(tempfile.gettempdir()).glob(f"{HOME_PREFIX}*-*-*-*"):
        mark = ":".join(home.name.removeprefix(HOME_PREFIX).split("-")[:3])
        with contextlib.suppress(FileNotFoundError):  # its owner removes it just now
            if process_mark.is_gone(mark) and home.stat(follow_symlinks=False).st_uid == os.geteuid():
                remove(home)


def worker_command(python: Path, job: Job) -> list[str]:
    """How an interpreter becomes the worker of a job."""
    command = [str(python), "-m", "suite.run", *map(str, (job.request, job.worker, job.data))]
    return command if job.state is None else [*command, str(job.state)]
