"""What the tests of containers ask again and again: has it ended, what did it say, what is left of it."""

from __future__ import annotations

import time
from pathlib import Path

import docker

from harness.environments import sandbox
from harness.environments.base import RunningJob
from harness.store import CONSOLE_FILE
from suite.protocol import EVENTS_FILE, Event, read_events

RUN = "test-run"
WAIT_S = 120


def exit_code(running: RunningJob, within_s: float = WAIT_S) -> int:
    deadline = time.monotonic() + within_s
    while (code := running.poll()) is None:
        assert time.monotonic() < deadline, "the container does not end"
        time.sleep(0.01)
    return code


def await_event(running: RunningJob, folder: Path, kind: str) -> Event:
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        ended = running.poll() is not None
        for event in read_events(folder / EVENTS_FILE):
            if event.kind == kind:
                return event
        assert not ended, (folder / CONSOLE_FILE).read_text()
        time.sleep(0.01)
    raise AssertionError(f"no {kind}")


def containers(engine: docker.DockerClient) -> list[str]:
    label = {"label": f"{sandbox.RUN_LABEL}={RUN}"}
    return [str(one.id) for one in engine.containers.list(all=True, filters=label)]


def cgroups() -> list[Path]:
    return [*sandbox.CGROUPS.glob(f"joulemark/{RUN}-*"), *sandbox.CGROUPS.glob(f"*/joulemark/{RUN}-*")]
