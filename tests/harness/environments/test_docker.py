"""A framework's environment of containers: found, described, started, swept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import docker
import numpy as np
import pytest
from docker.models.images import Image

from harness import paths
from harness.environments import sandbox
from harness.environments.base import Job, RunningJob
from harness.environments.docker import DockerEnvironment, available, digest, sweep
from harness.environments.frameworks import Framework, framework
from harness.errors import MissingPrerequisite
from suite.protocol import EVENTS_FILE, EXIT_LEASE_LOST, LeaseHolder, Request, read_events
from tests.harness.environments.containers import RUN, await_event, cgroups, containers, exit_code
from tests.harness.environments.tiny_image import TINY, images_of, make_tiny, remove_images


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("unix:///nonexistent/docker.sock", "no Docker engine answers"),
        ("tcp://127.0.0.1:9", "no Docker engine answers"),
        ("tcp://build.example.org:2376", "on this machine"),
        ("ssh://build.example.org", "on this machine"),
    ],
)
def test_an_engine_out_of_reach_is_one_line_within_two_seconds(
    address: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", address)
    begin = time.monotonic()
    said = available()
    assert time.monotonic() - begin < 2
    assert said is not None
    assert reason in said
    assert "\n" not in said
    with pytest.raises(MissingPrerequisite):
        DockerEnvironment(framework("sklearn"), "1.9.1").prepare()


@pytest.mark.engine
def test_the_description_names_what_is_inside(environment: DockerEnvironment, tiny: Framework) -> None:
    described = environment.describe()
    assert described["packages"] == {"joulemark-tiny": "1.0"}, "something besides the lock is installed"
    assert described["python"].startswith("3.11.")
    assert described["image"] == f"joulemark/{tiny.name}:1.0-cpu"
    assert described["image_id"].startswith("sha256:")
    assert described["image_digest"] == described["image_id"], "built here, known to no registry"
    assert {"lock_sha256", "suite_sha256", "base"} <= set(described)
    assert described["labels"]["org.joulemark.framework"] == tiny.name
    json.dumps(described)


def test_an_image_of_a_registry_is_known_by_the_registry_s_digest() -> None:
    pulled = Image(attrs={"Id": "sha256:1", "RepoDigests": ["example.org/torch@sha256:2"]})
    assert digest(pulled) == "example.org/torch@sha256:2"


@pytest.mark.engine
def test_a_missing_data_folder_is_refused_and_leaves_nothing(
    environment: DockerEnvironment, job: Job, engine: docker.DockerClient
) -> None:
    job.data.rmdir()
    with pytest.raises(MissingPrerequisite, match=f"run {RUN} does not start: .*source path does not exist"):
        environment.start(job)
    assert containers(engine) == []
    assert not job.data.exists()


@pytest.mark.engine
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


@pytest.mark.engine
def test_an_image_that_was_removed_fails_its_runs_and_no_others(
    environment: DockerEnvironment, job: Job, engine: docker.DockerClient, tiny: Framework, tmp_path: Path
) -> None:
    gone = DockerEnvironment(make_tiny(tiny.folder.parent / f"{TINY}-gone"), "1.0")
    gone.prepare()
    engine.images.remove(gone.describe()["image_id"], force=True)
    owner = sandbox.owner_of(job.folder)
    with pytest.raises(
        MissingPrerequisite, match=f"image joulemark/{TINY}-gone:1.0-cpu was removed.*run again"
    ):
        gone.start(job)
    assert containers(engine) == []
    assert sandbox.owner_of(job.folder) == owner
    environment.start(job).stop()
    gone.prepare()
    assert images_of(f"{TINY}-gone") == [gone.describe()["image_id"]], "it is not built anew"
    remove_images(f"{TINY}-gone")


HOLDER = """
import sys, time, pathlib
from suite.protocol import LeaseHolder
lease = LeaseHolder(pathlib.Path(sys.argv[1]))
print("held", flush=True)
time.sleep(600)
"""


@pytest.mark.engine
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


@pytest.mark.engine
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


@pytest.mark.engine
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
