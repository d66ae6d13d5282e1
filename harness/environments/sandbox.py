"""What a run's container gets beyond compose/suite.yaml: its pipes, its user, its limits, its CPUs, its marks."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from pathlib import Path
from typing import Any

import psutil

from harness import devices
from harness.environments import compose, gpu, process_mark
from harness.environments.base import Job
from harness.records import Limits
from suite.protocol import ANSWERS, EVENTS, OUTPUT

# Where the host's folders and pipes appear inside.
REQUEST, JOB, DATA, STATE = "/request", "/job", "/data", "/state.npz"

RUN_LABEL = "org.joulemark.run"
HARNESS_LABEL = "org.joulemark.harness"  # the process that started it; one that outlives it is an orphan
CGROUP_LABEL = "org.joulemark.cgroup"
CGROUPS = Path("/sys/fs/cgroup")
CGROUP_OF_ALL = "joulemark"
CGROUP_OF_ONE = rf"/{CGROUP_OF_ALL}/[0-9]+-[0-9]+-[0-9]+-[0-9a-f]{{8}}"

# As NumPy, PyTorch, XLA and TensorFlow say it, of the host's memory and of a GPU's.
OUT_OF_MEMORY = re.compile(
    r"MemoryError|OutOfMemory|RESOURCE_EXHAUSTED|ResourceExhausted|[Cc]an(no|')t allocate memory"
)

User = tuple[int, int]  # uid, gid


def sandbox(user: User, device: str = devices.HOST) -> dict[str, Any]:
    """The isolation of every container of ours, for one that is no run: without a run's folders and CPUs."""
    arguments = _arguments(device, {"RUN_USER": _text(user)})
    del arguments["mounts"], arguments["cpuset_cpus"]
    return arguments


def container_arguments(
    job: Job,
    user: User,
    cgroup: str | None = None,
    device: str = devices.HOST,
) -> dict[str, Any]:
    """All arguments of `containers.create` but image and command."""
    arguments = _arguments(device, _variables(job, user))
    arguments["labels"] |= {RUN_LABEL: job.run_id} | ({CGROUP_LABEL: cgroup} if cgroup else {})
    if cgroup:
        arguments["cgroup_parent"] = cgroup
    return arguments


def _arguments(device: str, variables: dict[str, str]) -> dict[str, Any]:
    """What compose/suite.yaml says, and the mark by which a container that outlives its harness is found."""
    of = devices.device(device)
    arguments = compose.arguments(of.section, variables | gpu.groups(of))
    return arguments | {"labels": {HARNESS_LABEL: process_mark.own()}}


def _variables(job: Job, user: User) -> dict[str, str]:
    """What the file leaves open, since it differs between runs."""
    return {
        "RUN_USER": _text(user),
        "CPUS": ",".join(map(str, job.cpus)),
        "THREADS": str(len(job.cpus)),
        "MEMORY": str(memory_bytes(job.limits)),
        "SCRATCH_BYTES": str(job.limits.scratch_bytes),
        "SCRATCH_PROGRAMS": "exec" if job.compiles else "noexec",
        "SCRATCH_FILES": str(job.limits.scratch_files),
        "REQUEST": str(job.request.absolute()),
        "EVENTS": str((job.worker / EVENTS).absolute()),
        **{name: _of_the_run(job.worker / pipe) for name, pipe in (("OUTPUT", OUTPUT), ("ANSWERS", ANSWERS))},
        "DATA": str(job.data.absolute()),
        "STATE": str(job.state.absolute()) if job.state else "",
    }


def _of_the_run(pipe: Path) -> str:
    """Empty where the run has none such."""
    return str(pipe.absolute()) if pipe.exists() else ""


def memory_bytes(limits: Limits) -> int:
    """The most that a run may take: the machine keeps the rest, so that it outlives whatever runs on it."""
    return int(psutil.virtual_memory().total * limits.memory_share)


def memory_told(limits: Limits) -> str:
    return f"a run may have {memory_bytes(limits) >> 20} MiB: memory_share of the plan"


def _text(user: User) -> str:
    return f"{user[0]}:{user[1]}"


def worker_user(folder: Path, image_user: User) -> User:
    """The owner of the run's folder, who gains nothing by it; the image's own user where that is root."""
    found = folder.stat()
    return (found.st_uid, found.st_gid) if found.st_uid else image_user


def cgroup_of_its_own(driver: str) -> str | None:
    """A parent cgroup for one run, whose counters outlive the container until `stop`.

    Only with the engine's cgroupfs driver, where any path will do, and only as root, who can remove it again.
    """
    if driver != "cgroupfs" or os.geteuid() != 0:
        return None
    return f"/{CGROUP_OF_ALL}/{process_mark.own().replace(':', '-')}-{secrets.token_hex(4)}"


def remove_cgroup(cgroup: str | None) -> None:
    """From every hierarchy (version 1) or the only one (version 2), with the folder of all runs if it was the last.

    With those of containers below it: an engine that was killed while it started one leaves it, and forgets it. The
    kernel removes none in which a process lives. Any other path is left alone: a container has its image's labels too,
    and those are somebody else's words.
    """
    for folder in [CGROUPS, *CGROUPS.glob("*/")] if re.fullmatch(CGROUP_OF_ONE, cgroup or "") else []:
        path = Path(f"{folder}{cgroup}")
        for place in (*path.glob("*/"), path, path.parent):
            with contextlib.suppress(OSError):
                place.rmdir()


def sweep_cgroups() -> None:
    """Removes the cgroups of harnesses that are gone, and our own."""
    for place in [*CGROUPS.glob(f"{CGROUP_OF_ALL}/*/"), *CGROUPS.glob(f"*/{CGROUP_OF_ALL}/*/")]:
        mark = place.name.rpartition("-")[0].replace("-", ":")
        if process_mark.is_gone(mark) or mark == process_mark.own():
            remove_cgroup(f"/{CGROUP_OF_ALL}/{place.name}")
