"""What a run's container gets beyond compose/suite.yaml: its folders, its user, its CPUs, its marks."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path
from typing import Any

from harness.environments import compose
from harness.environments.base import Job

# Where the host's folders appear inside.
JOB, DATA, STATE = "/job", "/data", "/state.npz"

RUN_LABEL = "org.joulemark.run"
HARNESS_LABEL = "org.joulemark.harness"  # the process that started it; one that outlives it is an orphan
CGROUP_LABEL = "org.joulemark.cgroup"
CGROUPS = Path("/sys/fs/cgroup")

User = tuple[int, int]  # uid, gid


def sandbox(user: User, device: str = "cpu") -> dict[str, Any]:
    """The isolation of every container of ours, for one that is no run: without a run's folders and CPUs."""
    settings = _arguments(device, {"RUN_USER": _text(user)})
    del settings["mounts"], settings["cpuset_cpus"]
    return settings


def container_settings(
    job: Job,
    user: User,
    cgroup: str | None = None,
    memory_bytes: int | None = None,
    device: str = "cpu",
) -> dict[str, Any]:
    """All arguments of `containers.create` but image and command."""
    settings = _arguments(device, _variables(job, user, memory_bytes))
    settings["labels"] |= {RUN_LABEL: job.run_id} | ({CGROUP_LABEL: cgroup} if cgroup else {})
    if cgroup:
        settings["cgroup_parent"] = cgroup
    return settings


def _arguments(device: str, variables: dict[str, str]) -> dict[str, Any]:
    """What compose/suite.yaml says, and the mark by which a container that outlives its harness is found."""
    settings = compose.arguments("x-run" if device == "cpu" else f"x-run-{device}", variables)
    return settings | {"labels": {HARNESS_LABEL: process_mark(os.getpid())}}


def _variables(job: Job, user: User, memory_bytes: int | None) -> dict[str, str]:
    """What the file leaves open, since it differs between runs."""
    return {
        "RUN_USER": _text(user),
        "CPUS": ",".join(map(str, job.cpus)),
        "THREADS": str(len(job.cpus)),
        "MEMORY": str(memory_bytes or ""),
        "JOB": str(job.folder.absolute()),
        "DATA": str(job.data.absolute()),
        "STATE": str(job.state.absolute()) if job.state else "",
    }


def _text(user: User) -> str:
    return f"{user[0]}:{user[1]}"


def owner_of(folder: Path) -> User:
    found = folder.stat()
    return found.st_uid, found.st_gid


def worker_user(folder: Path, image_user: User) -> User:
    """The owner of the run's folder, so that the worker can write there and nowhere else; never root."""
    owner = owner_of(folder)
    return owner if owner[0] else image_user


def hand_over(folder: Path, user: User) -> None:
    """Gives a folder and all in it to a user. Only root can, and only root needs to: others are the user."""
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, *user, follow_symlinks=False)


def cgroup_of_its_own(driver: str, run_id: str) -> str | None:
    """A parent cgroup for one run, whose counters outlive the container until `stop`.

    Only with the engine's cgroupfs driver, where any path will do, and only as root, who can remove it again.
    """
    if driver != "cgroupfs" or os.geteuid() != 0:
        return None
    return f"/joulemark/{run_id}-{secrets.token_hex(4)}"


def remove_cgroup(cgroup: str | None) -> None:
    """From every hierarchy (version 1) or the only one (version 2), with the folder of all runs if it was the last."""
    for folder in [CGROUPS, *CGROUPS.glob("*/")] if cgroup else []:
        path = Path(f"{folder}{cgroup}")
        with contextlib.suppress(OSError):
            path.rmdir()
            path.parent.rmdir()


def process_mark(pid: int) -> str | None:
    """A process by its id and start time, since ids are reused; None if there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    return f"{pid}:{stat.rpartition(')')[2].split()[19]}"  # starttime, proc_pid_stat(5)
