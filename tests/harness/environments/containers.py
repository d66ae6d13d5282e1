"""What the tests of containers ask again and again: has it ended, what did it say, what is left of it."""

from __future__ import annotations

import os
import time
from pathlib import Path

import docker

from harness.environments import process_mark, sandbox
from harness.environments.base import RunningJob
from harness.store import CONSOLE_FILE
from suite.protocol import Event
from tests.desk import Desk

RUN = f"test-run-{os.getpid()}"  # tests run side by side
WAIT_S = 120
# Two processes that ignore SIGTERM, have none of the harness's variables, and no group in common.
STUBBORN = """
import os, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.fork() or os.setsid()
print("on", flush=True)
os.execve("/bin/sleep", ["sleep", "600"], {})
"""


def exit_code(running: RunningJob, within_s: float = WAIT_S) -> int:
    deadline = time.monotonic() + within_s
    while (code := running.poll()) is None:
        assert time.monotonic() < deadline, "the container does not end"
        time.sleep(0.01)
    return code


def await_event(running: RunningJob, desk: Desk, kind: str) -> Event:
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        ended = running.poll() is not None
        for event in desk.events:
            if event.kind == kind:
                return event
        assert not ended, (desk.place / CONSOLE_FILE).read_text()
        time.sleep(0.01)
    raise AssertionError(f"no {kind}")


def containers(engine: docker.DockerClient) -> list[str]:
    label = {"label": f"{sandbox.RUN_LABEL}={RUN}"}
    return [str(one.id) for one in engine.containers.list(all=True, filters=label)]


def cgroups() -> list[Path]:
    """Of this process' runs."""
    names = f"{sandbox.CGROUP_OF_ALL}/{process_mark.own().replace(':', '-')}-*"
    return [*sandbox.CGROUPS.glob(names), *sandbox.CGROUPS.glob(f"*/{names}")]
