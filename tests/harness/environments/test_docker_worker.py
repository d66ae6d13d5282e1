"""A real worker in its container: it waits for its harness, works, and does not outlive it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import docker
import numpy as np
import pytest
import requests
from docker.errors import APIError
from docker.models.containers import Container

from harness.environments import docker as docker_environment
from harness.environments import process_mark
from harness.environments.base import Job, RunningJob
from harness.environments.docker import DockerEnvironment, sweep
from harness.environments.frameworks import framework
from suite.protocol import EXIT_LEASE_LOST, LeaseHolder, Request
from tests.desk import Desk
from tests.harness.environments.containers import RUN, await_event, cgroups, containers, exit_code

pytestmark = pytest.mark.engine


def test_the_worker_waits_for_go_in_the_cgroup_and_on_the_clock_of_the_host(
    environment: DockerEnvironment, job: Job, desk: Desk, engine: docker.DockerClient
) -> None:
    begin_ns = time.monotonic_ns()
    running = environment.start(job)
    try:
        ready = await_event(running, desk, "ready")
        assert begin_ns < ready.t_ns < time.monotonic_ns()
        assert running.poll() is None
        if cgroups():
            assert cgroups()[0].name in Path(f"/proc/{running.pid}/cgroup").read_text()
    finally:
        running.stop()
    assert containers(engine) == []
    assert environment.describe()["variables"]["OMP_NUM_THREADS"] == "1"


def test_the_worker_ends_itself_when_the_harness_is_gone(
    environment: DockerEnvironment, job: Job, desk: Desk
) -> None:
    """As it does when the harness is killed: the kernel closes what it held."""
    running = environment.start(job)
    try:
        await_event(running, desk, "ready")
        desk.folder.lease.close()
        assert exit_code(running, within_s=5) == EXIT_LEASE_LOST
    finally:
        running.stop()
        desk.folder.lease = LeaseHolder(desk.place)


def test_the_sweep_removes_orphans_and_spares_a_live_harness_s_containers(
    inside: Callable[..., RunningJob], engine: docker.DockerClient, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    namespace, pid, _ = process_mark.own().split(":")
    parent = process_mark.of(os.getppid())
    monkeypatch.setattr(process_mark, "own", lambda: parent)
    alive = inside("import time; time.sleep(600)")
    monkeypatch.undo()
    assert sweep(engine) == 0
    assert alive.poll() is None
    monkeypatch.setattr(process_mark, "own", lambda: f"{namespace}:{pid}:1")  # this id, but started at boot
    inside("import time; time.sleep(600)")
    monkeypatch.undo()
    assert len(containers(engine)) == 2
    assert sweep(engine) == 1
    assert len(containers(engine)) == 1


def test_the_sweep_removes_what_this_harness_could_not_remove_in_time(
    inside: Callable[..., RunningJob], engine: docker.DockerClient
) -> None:
    """Its engine died while it was asked to: the container stayed on the machine until the next campaign."""
    inside("import time; time.sleep(600)")
    assert sweep(engine) == 1
    assert (containers(engine), cgroups()) == ([], [])


def test_the_sweep_spares_what_a_harness_of_another_namespace_started_until_it_has_long_ended(
    inside: Callable[..., RunningJob], engine: docker.DockerClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    namespace, rest = process_mark.own().split(":", 1)
    monkeypatch.setattr(process_mark, "own", lambda: f"{int(namespace) + 1}:{rest}")
    alive = inside("import time; time.sleep(600)")
    ended = inside("")
    assert exit_code(ended) == 0
    monkeypatch.undo()
    assert (sweep(engine), alive.poll()) == (0, None)
    monkeypatch.setattr(docker_environment, "LEFT_FOR", timedelta(0))
    assert (sweep(engine), alive.poll()) == (1, None)


def test_the_sweep_accepts_that_somebody_else_is_removing_a_container(
    inside: Callable[..., RunningJob], engine: docker.DockerClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_mark, "is_gone", lambda mark: True)
    inside("import time; time.sleep(600)")

    def conflict(*_: Any, **__: Any) -> None:
        response = requests.Response()
        response.status_code = 409
        raise APIError("removal of container is already in progress", response)

    with monkeypatch.context() as patch:
        patch.setattr(Container, "remove", conflict)
        assert sweep(engine) == 0


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
    data = tmp_path / "data"
    data.mkdir()
    small_data(data, (28, 28))
    settings = {"epochs": 1} if workload == "mnist_cnn" else {}
    desk = Desk(
        tmp_path / RUN, Request(RUN, workload, name, "train", "digits", 1, keep_state=True, settings=settings)
    )
    running = environment.start(desk.job(data))
    try:
        await_event(running, desk, "ready")
        desk.folder.lease.go()
        await_event(running, desk, "done")
        desk.folder.lease.bye()
        assert exit_code(running) == 0
        assert running.failure() is None
    finally:
        running.stop()
    kinds = {event.kind for event in desk.events}
    assert {"ready", "phase", "facts", "work", "metrics", "usage", "done"} <= kinds
    with np.load(desk.output, allow_pickle=False) as state:
        assert state.files
    desk.close()
    assert containers(engine) == []
