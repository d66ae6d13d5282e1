"""A real worker in its container: it waits for its harness, works, and does not outlive it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import docker
import numpy as np
import pytest

from harness import paths
from harness.environments import sandbox
from harness.environments.base import Job, RunningJob
from harness.environments.docker import DockerEnvironment, sweep
from harness.environments.frameworks import framework
from suite.protocol import EVENTS_FILE, EXIT_LEASE_LOST, LeaseHolder, Request, read_events
from tests.harness.environments.containers import RUN, await_event, cgroups, containers, exit_code

pytestmark = pytest.mark.engine


def test_the_worker_waits_for_go_in_the_cgroup_and_on_the_clock_of_the_host(
    environment: DockerEnvironment, job: Job, engine: docker.DockerClient
) -> None:
    Request(RUN, "svm", "tiny", "train", "digits", 1).write(job.folder)
    lease = LeaseHolder(job.folder)
    begin_ns = time.monotonic_ns()
    running = environment.start(job)
    try:
        ready = await_event(running, job.folder, "ready")
        assert begin_ns < ready.t_ns < time.monotonic_ns()
        assert running.poll() is None
        if cgroups():
            assert f"/joulemark/{RUN}-" in Path(f"/proc/{running.pid}/cgroup").read_text()
    finally:
        running.stop()
        lease.close()
    assert containers(engine) == []
    assert environment.describe()["variables"]["OMP_NUM_THREADS"] == "1"


HOLDER = """
import sys, time, pathlib
from suite.protocol import LeaseHolder
lease = LeaseHolder(pathlib.Path(sys.argv[1]))
print("held", flush=True)
time.sleep(600)
"""


def test_the_worker_ends_itself_when_the_harness_is_killed(environment: DockerEnvironment, job: Job) -> None:
    Request(RUN, "svm", "tiny", "train", "digits", 1).write(job.folder)
    command = [sys.executable, "-c", HOLDER, str(job.folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=paths.ROOT) as harness:
        assert harness.stdout is not None
        harness.stdout.readline()
        running = environment.start(job)
        try:
            await_event(running, job.folder, "ready")
            harness.kill()
            assert exit_code(running, within_s=5) == EXIT_LEASE_LOST
        finally:
            harness.kill()
            running.stop()


def test_the_sweep_removes_orphans_and_spares_a_live_harness_s_containers(
    inside: Callable[..., RunningJob], engine: docker.DockerClient, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    alive = inside("import time; time.sleep(600)")
    assert sweep(engine) == 0
    assert alive.poll() is None
    mark = f"{os.getpid()}:1"  # this id, but a process that started at boot: not this one
    monkeypatch.setattr(sandbox, "process_mark", lambda pid, real=sandbox.process_mark: mark)
    inside("import time; time.sleep(600)")
    monkeypatch.undo()
    assert len(containers(engine)) == 2
    assert sweep(engine) == 1
    assert len(containers(engine)) == 1


def small_data(folder: Path, shape: tuple[int, ...]) -> None:
    generator = np.random.default_rng(1)
    for split, samples in (("train", 256), ("test", 120)):
        x = generator.integers(0, 255, (samples, *shape), dtype=np.uint8)
        np.save(folder / f"{split}_x.npy", x)
        np.save(folder / f"{split}_y.npy", np.arange(samples) % 10)


@pytest.mark.parametrize(("name", "workload"), [("sklearn", "svm"), ("jax", "mnist_cnn")])
def test_a_real_workload_runs_in_its_image(
    name: str, workload: str, engine: docker.DockerClient, tmp_path: Path
) -> None:
    environment = DockerEnvironment(framework(name), framework(name).default_version)
    environment.prepare()
    folder, data = tmp_path / "run", tmp_path / "data"
    folder.mkdir()
    data.mkdir()
    small_data(data, (28, 28))
    settings = {"epochs": 1} if workload == "mnist_cnn" else {}
    Request(RUN, workload, name, "train", "digits", 1, keep_state=True, settings=settings).write(folder)
    lease = LeaseHolder(folder)
    running = environment.start(Job(RUN, folder, data, None, (0,)))
    try:
        await_event(running, folder, "ready")
        lease.go()
        await_event(running, folder, "done")
        lease.bye()
        assert exit_code(running) == 0
        assert running.failure() is None
    finally:
        running.stop()
        lease.close()
    kinds = {event.kind for event in read_events(folder / EVENTS_FILE)}
    assert {"ready", "phase", "facts", "work", "metrics", "usage", "done"} <= kinds
    assert (folder / "state.npz").stat().st_size > 0
    assert containers(engine) == []
