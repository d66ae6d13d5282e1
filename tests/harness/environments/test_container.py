"""The life of one container: how it ends, what it leaves to read, and that nothing else of it stays."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path

import docker
import pytest

from harness.environments import container, sandbox
from harness.environments.base import Job, RunningJob
from harness.environments.sandbox import memory_bytes
from harness.records import Limits
from tests.desk import Desk
from tests.harness.environments.containers import cgroups, containers, exit_code

pytestmark = pytest.mark.engine


def test_a_crash_leaves_its_last_words(inside: Callable[..., RunningJob], job: Job) -> None:
    running = inside("import os, sys; print('out'); print('err', file=sys.stderr, flush=True); os.abort()")
    assert exit_code(running) == 128 + signal.SIGABRT
    assert sorted(job.console.read_text().split()) == ["err", "out"]


def test_the_console_is_not_written_through_a_link(inside: Callable[..., RunningJob], job: Job) -> None:
    victim = job.console.with_name("victim")
    victim.write_text("untouched")
    job.console.symlink_to(victim)
    assert exit_code(inside("print('mine')")) == 0
    assert victim.read_text() == "untouched"
    assert job.console.is_symlink(), "nothing was written in its place either"


@pytest.mark.parametrize("who", ["worker", "child"])
def test_out_of_memory_is_seen_even_behind_exit_0(who: str, inside: Callable[..., RunningJob]) -> None:
    hog = "x = b'x' * 2**29"
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {hog!r}])"
    running = inside(
        hog if who == "worker" else child,
        limits=Limits(memory_share=2**26 / memory_bytes(Limits(memory_share=1))),
    )
    assert exit_code(running) == (137 if who == "worker" else 0)
    assert "out of memory" in str(running.failure())


def test_a_sound_run_has_no_failure(inside: Callable[..., RunningJob]) -> None:
    running = inside("")
    assert running.failure() is None
    assert exit_code(running) == 0
    assert running.failure() is None


def test_stop_ends_a_worker_that_ignores_sigterm_and_leaves_nothing(
    inside: Callable[..., RunningJob], desk: Desk, engine: docker.DockerClient
) -> None:
    ignoring = "import signal, time; signal.signal(15, signal.SIG_IGN)"
    source = f"{ignoring}; open('/job/output', 'w').write('up'); time.sleep(600)"
    running = inside(source, cgroup=sandbox.cgroup_of_its_own("cgroupfs"))
    while not desk.output.exists():
        time.sleep(0.01)
    assert running.poll() is None
    assert Path(f"/proc/{running.pid}").exists()
    begin = time.monotonic()
    running.stop()
    running.stop()
    assert time.monotonic() - begin < container.STOP_TIMEOUT_S + 5
    assert not Path(f"/proc/{running.pid}").exists()
    assert containers(engine) == []
    assert cgroups() == []


def test_a_container_that_somebody_removed_is_an_end_with_a_reason(
    inside: Callable[..., RunningJob], engine: docker.DockerClient
) -> None:
    running = inside("import time; time.sleep(600)")
    engine.containers.get(containers(engine)[0]).remove(force=True)
    assert exit_code(running) != 0
    assert running.failure()
    running.stop()
