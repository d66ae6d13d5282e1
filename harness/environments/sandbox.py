"""What a container may do and see: the same isolation for every run, in one place."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path
from typing import Any

from docker.types import DeviceRequest, LogConfig, Mount

from harness.environments.base import Job, worker_variables

# Where the host's folders appear inside.
JOB, DATA, STATE = "/job", "/data", "/state.npz"

RUN_LABEL = "org.joulemark.run"
HARNESS_LABEL = (
    "org.joulemark.harness"  # the process that started it; a container that outlives it is an orphan
)
CGROUP_LABEL = "org.joulemark.cgroup"
CGROUPS = Path("/sys/fs/cgroup")

User = tuple[int, int]  # uid, gid


def sandbox(user: User) -> dict[str, Any]:
    """The isolation that every container of ours gets, measured to cost nothing."""
    return {
        "user": f"{user[0]}:{user[1]}",
        "network_mode": "none",
        "read_only": True,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "init": True,  # without it SIGTERM is ignored and zombies stay
        "tmpfs": {"/tmp": "rw,noexec,nosuid,nodev,mode=1777,size=1g"},
        "shm_size": "1g",  # the default 64 MB breaks input pipelines that use worker processes
        "pids_limit": 256 + 16 * (os.cpu_count() or 1),  # libraries size their pools by the host's cores
        # A driver that can be read back, bounded so that a chatty worker cannot fill the disk.
        "log_config": LogConfig(type="json-file", config={"max-size": "10m", "max-file": "1"}),
        "labels": {HARNESS_LABEL: process_mark(os.getpid())},
    }


def container_settings(
    job: Job,
    user: User,
    cgroup: str | None = None,
    memory_bytes: int | None = None,
    device: str = "cpu",
) -> dict[str, Any]:
    """All arguments of `containers.create` but image and command."""
    settings = sandbox(user)
    settings["labels"] |= {RUN_LABEL: job.run_id} | ({CGROUP_LABEL: cgroup} if cgroup else {})
    settings["mounts"] = _mounts(job)
    settings["cpuset_cpus"] = ",".join(map(str, job.cpus))
    # A uid without a passwd entry is found by these names where a library asks who it is.
    who = {"HOME": "/tmp", "USER": "joulemark", "LOGNAME": "joulemark"}
    settings["environment"] = worker_variables(job) | who
    if cgroup:
        settings["cgroup_parent"] = cgroup
    if memory_bytes:
        settings |= {"mem_limit": memory_bytes, "memswap_limit": memory_bytes}
    if device != "cpu":
        settings["device_requests"] = [DeviceRequest(count=-1, capabilities=[["gpu"]])]
    return settings


def _mounts(job: Job) -> list[Mount]:
    """A mount, unlike a volume, is refused if its source does not exist."""
    mounts = [
        Mount(JOB, str(job.folder.absolute()), type="bind"),
        Mount(DATA, str(job.data.absolute()), type="bind", read_only=True),
    ]
    if job.state is not None:
        mounts.append(Mount(STATE, str(job.state.absolute()), type="bind", read_only=True))
    return mounts


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
