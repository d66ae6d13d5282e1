"""The command line by which Apptainer runs something in an image of ours, as closed as an ordinary user can have it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.devices import HOST, device
from harness.environments.base import Job, worker_variables
from harness.environments.sandbox import DATA, JOB, REQUEST, STATE, memory_bytes
from suite.protocol import ANSWERS, EVENTS, OUTPUT

PYTHON = "/opt/venv/bin/python"
SCRATCH = "/tmp"
DRIVER = "/.singularity.d/libs"  # where it puts a GPU's libraries, whatever the host calls their folder
# A user namespace alone, also where Apptainer is installed setuid: no capability in it, no network but its own
# loopback, processes that are told apart and end together, no home, nothing that the site binds into every image.
CLOSED = (
    "--userns", "--containall", "--no-home", "--no-privs", "--net", "--network", "none",
    "--no-mount", "bind-paths", "--no-eval", "--no-umask", "--pwd", SCRATCH,
)  # fmt: skip
NOT_GIVEN = (
    "no cgroup: memory is limited for each process, not for all together",
    "the number of processes is not limited",
    "scratch is limited for each file, not for all together",
    "CPUs are bound by affinity, which a worker may change",
)
OWN_VARIABLES = {
    "HOME": SCRATCH,
    "TMPDIR": SCRATCH,
    "USER": "joulemark",
    "LOGNAME": "joulemark",
    "PATH": "/opt/venv/bin:/usr/local/bin:/usr/bin:/bin",
    "PYTHONPATH": "/opt/joulemark",
}


@dataclass(frozen=True)
class Bind:
    """A folder, file or pipe of the host, and where it appears inside."""

    source: Path
    target: str
    writable: bool = False

    def option(self) -> str:
        """As --mount takes it, whatever characters are in the path."""
        fields = ["type=bind", f"source={self.source.absolute()}", f"destination={self.target}"]
        line = io.StringIO()
        csv.writer(line, lineterminator="").writerow([*fields, *([] if self.writable else ["ro"])])
        return line.getvalue()


def inside(
    program: str,
    root: Path,
    binds: Sequence[Bind],
    variables: Mapping[str, str],
    command: Sequence[str],
    on: str = HOST,
) -> list[str]:
    """`command` in the image that lies at `root`, with these variables, a GPU's libraries and nothing else of the host.

    `on`: the device that it gets, of harness.devices; its files and its driver's libraries come by Apptainer's option.
    """
    handed = device(on).apptainer
    mounts = [word for one in binds for word in ("--mount", one.option())]
    libraries = {"LD_LIBRARY_PATH": DRIVER} if handed else {}
    told = [f"{name}={value}" for name, value in {**variables, **libraries}.items()]
    options = [*CLOSED, *filter(None, [handed]), *mounts]
    return [program, "exec", *options, str(root), "/usr/bin/env", "-i", *told, *command]


def not_given(on: str) -> tuple[str, ...]:
    """Of the isolation that a container of Docker has."""
    of_gpus = ("memory is not limited: a GPU's driver reserves more than it uses",) if on != HOST else ()
    return (*NOT_GIVEN, *of_gpus)


def binds(job: Job, scratch: Path) -> list[Bind]:
    """What Docker binds, and a scratch folder in place of its memory."""
    pipes = [job.worker / name for name in (EVENTS, OUTPUT, ANSWERS)]
    return [
        Bind(job.request, REQUEST),
        *(Bind(pipe, f"{JOB}/{pipe.name}", writable=True) for pipe in pipes if pipe.exists()),
        Bind(job.data, DATA),
        *([Bind(job.state, STATE)] if job.state else []),
        Bind(scratch, SCRATCH, writable=True),
    ]


def variables(job: Job) -> dict[str, str]:
    return {**worker_variables(job), **OWN_VARIABLES}


def worker(job: Job) -> list[str]:
    """The command inside."""
    return [PYTHON, "-m", "suite.run", REQUEST, JOB, DATA, *([STATE] if job.state else [])]


def bounded(job: Job, command: Sequence[str], on: str = HOST) -> list[str]:
    """`command` under the limits of a run from its first instruction on: Apptainer starts more than one process."""
    return [*_limits(job, on), *command]


def _limits(job: Job, on: str) -> Iterator[str]:
    """Of memory but where a GPU's driver reserves more than it uses, as for a virtual environment."""
    yield from ("sh", "-c", 'echo 1000 >/proc/self/oom_score_adj; exec "$@"', "sh")
    memory = [f"--data={memory_bytes(job.limits)}"] if on == HOST else []
    yield from ("prlimit", f"--fsize={job.limits.scratch_bytes}", *memory)
    yield from ("taskset", "--cpu-list", ",".join(map(str, job.cpus)))
