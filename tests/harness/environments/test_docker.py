"""Containers: what a worker may do inside, how it ends, and that nothing of it stays."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import docker
import numpy as np
import pytest

from harness import paths
from harness.environments import container, sandbox
from harness.environments.base import Job, RunningJob
from harness.environments.docker import DockerEnvironment, available, sweep
from harness.environments.frameworks import Framework, framework
from harness.environments.images import ensure_image
from harness.errors import MissingPrerequisite
from harness.store import CONSOLE_FILE
from suite.protocol import EVENTS_FILE, EXIT_LEASE_LOST, Event, LeaseHolder, Request, read_events

RUN = "test-run"
WAIT_S = 120


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """A run's folders as the campaign makes them, closed to other users."""
    folder, data, state = tmp_path / "run", tmp_path / "data", tmp_path / "state.npz"
    folder.mkdir(mode=0o700)
    data.mkdir()
    state.write_bytes(b"state")
    return Job(RUN, folder, data, state, (0,))


@pytest.fixture
def environment(engine: docker.DockerClient, tiny: Framework) -> DockerEnvironment:
    one = DockerEnvironment(tiny, "1.0")
    one.prepare()
    return one


@pytest.fixture
def inside(engine: docker.DockerClient, tiny: Framework, job: Job) -> Iterator[Callable[..., RunningJob]]:
    """Runs Python source in a container with exactly a worker's settings."""
    image = ensure_image(engine, tiny, "1.0")
    started: list[RunningJob] = []

    def run(source: str, **options: Any) -> RunningJob:
        user = sandbox.worker_user(job.folder, (10001, 10001))
        settings = sandbox.container_settings(job, user, **options)
        settings["entrypoint"] = ["python", "-c", source]
        started.append(container.start(engine, str(image.id), job, user, settings))
        return started[-1]

    yield run
    for one in started:
        one.stop()


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


def test_a_process_mark_tells_a_process_from_a_later_one_with_its_id() -> None:
    own = sandbox.process_mark(os.getpid())
    assert own is not None
    assert own.startswith(f"{os.getpid()}:")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert sandbox.process_mark(child.pid) != own
    assert sandbox.process_mark(child.pid) is None


def test_only_root_and_cgroupfs_give_a_cgroup_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert str(sandbox.cgroup_of_its_own("cgroupfs", RUN)).startswith(f"/joulemark/{RUN}-")
    assert sandbox.cgroup_of_its_own("systemd", RUN) is None
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert sandbox.cgroup_of_its_own("cgroupfs", RUN) is None


@pytest.mark.engine
def test_the_description_names_what_is_inside(environment: DockerEnvironment, tiny: Framework) -> None:
    described = environment.describe()
    assert described["packages"] == {"joulemark-tiny": "1.0"}, "something besides the lock is installed"
    assert described["python"].startswith("3.11.")
    assert described["image"] == f"joulemark/{tiny.name}:1.0-cpu"
    assert described["image_id"].startswith("sha256:")
    assert {"lock_sha256", "suite_sha256", "base"} <= set(described)
    json.dumps(described)


PROBE = """
import json, os, pwd, socket
def refused(action):
    try:
        action()
    except OSError as error:
        return type(error).__name__ + str(error.errno)
    return ""
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(json.dumps({
    "uid": os.getuid(), "home": os.environ["HOME"], "variables": sorted(os.environ),
    "capabilities": [int(status[name], 16) for name in ("CapEff", "CapPrm", "CapBnd")],
    "no_new_privs": status["NoNewPrivs"].strip(), "cpus": sorted(os.sched_getaffinity(0)),
    "interfaces": [name for _, name in socket.if_nameindex()],
    "connect": refused(lambda: socket.create_connection(("192.0.2.1", 80), 1)),
    "root": refused(lambda: open("/opt/joulemark/x", "w")),
    "etc": refused(lambda: open("/etc/passwd", "a")),
    "data": refused(lambda: open("/data/x", "w")), "state": refused(lambda: open("/state.npz", "w")),
    "read": open("/state.npz").read(),
    "tmp": refused(lambda: open("/tmp/x", "w")), "job": refused(lambda: open("/job/x", "w")),
    "shm": os.statvfs("/dev/shm").f_blocks * os.statvfs("/dev/shm").f_frsize,
}))
"""


@pytest.mark.engine
def test_a_worker_can_write_its_run_s_folder_and_nothing_else(
    inside: Callable[..., RunningJob], job: Job
) -> None:
    running = inside(PROBE)
    assert exit_code(running) == 0, (job.folder / CONSOLE_FILE).read_text()
    seen = json.loads((job.folder / CONSOLE_FILE).read_text())
    assert seen["uid"] != 0
    assert seen["capabilities"] == [0, 0, 0]
    assert seen["no_new_privs"] == "1"
    assert seen["interfaces"] == ["lo"]
    assert "Unreachable" in seen["connect"] or seen["connect"] == "OSError101"
    assert {seen[place] for place in ("root", "data", "state")} == {"OSError30"}, "EROFS"
    assert seen["etc"] != ""
    assert (seen["tmp"], seen["job"]) == ("", "")
    assert seen["read"] == "state"
    assert seen["cpus"] == [0]
    assert seen["home"] == "/tmp"
    assert seen["shm"] >= 2**30
    assert "OMP_NUM_THREADS" in seen["variables"]


@pytest.mark.engine
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder of another user")
def test_the_worker_is_the_owner_of_its_folder_if_that_is_not_root(
    inside: Callable[..., RunningJob], job: Job
) -> None:
    os.chown(job.folder, 4321, 4322)
    running = inside(
        "import os, getpass; print(os.getuid(), os.getgid(), getpass.getuser()); open('/job/x', 'w')"
    )
    assert exit_code(running) == 0
    assert (job.folder / CONSOLE_FILE).read_text() == "4321 4322 joulemark\n"
    assert (job.folder / "x").stat().st_uid == 4321


@pytest.mark.engine
def test_the_run_s_folder_is_its_owner_s_again_after_the_run(
    inside: Callable[..., RunningJob], job: Job
) -> None:
    before = sandbox.owner_of(job.folder)
    running = inside("open('/job/x', 'w'); import os; os.symlink('/etc/passwd', '/job/link')")
    assert exit_code(running) == 0
    running.stop()
    assert {sandbox.owner_of(path) for path in (job.folder, job.folder / "x")} == {before}


@pytest.mark.engine
def test_a_crash_leaves_its_last_words(inside: Callable[..., RunningJob], job: Job) -> None:
    running = inside("import os, sys; print('out'); print('err', file=sys.stderr, flush=True); os.abort()")
    assert exit_code(running) == 128 + signal.SIGABRT
    assert sorted((job.folder / CONSOLE_FILE).read_text().split()) == ["err", "out"]


@pytest.mark.engine
def test_the_console_is_not_written_through_a_link_that_the_worker_made(
    inside: Callable[..., RunningJob], job: Job
) -> None:
    victim = job.folder.parent / "victim"
    victim.write_text("untouched")
    running = inside(f"import os; os.symlink({str(victim)!r}, '/job/{CONSOLE_FILE}'); print('mine')")
    assert exit_code(running) == 0
    assert victim.read_text() == "untouched"
    assert (job.folder / CONSOLE_FILE).read_text() == "mine\n"


@pytest.mark.engine
@pytest.mark.parametrize("who", ["worker", "child"])
def test_out_of_memory_is_seen_even_behind_exit_0(who: str, inside: Callable[..., RunningJob]) -> None:
    hog = "x = b'x' * 2**29"
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {hog!r}])"
    running = inside(hog if who == "worker" else child, memory_bytes=2**26)
    assert exit_code(running) == (137 if who == "worker" else 0)
    assert "out of memory" in str(running.failure())


@pytest.mark.engine
def test_a_sound_run_has_no_failure(inside: Callable[..., RunningJob]) -> None:
    running = inside("")
    assert running.failure() is None
    assert exit_code(running) == 0
    assert running.failure() is None


@pytest.mark.engine
def test_stop_ends_a_worker_that_ignores_sigterm_and_leaves_nothing(
    inside: Callable[..., RunningJob], job: Job, engine: docker.DockerClient
) -> None:
    source = "import signal, time; signal.signal(15, signal.SIG_IGN); open('/job/up', 'w'); time.sleep(600)"
    running = inside(source, cgroup=sandbox.cgroup_of_its_own("cgroupfs", RUN))
    while not (job.folder / "up").exists():
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


@pytest.mark.engine
def test_a_container_that_somebody_removed_is_an_end_with_a_reason(
    inside: Callable[..., RunningJob], engine: docker.DockerClient
) -> None:
    running = inside("import time; time.sleep(600)")
    engine.containers.get(containers(engine)[0]).remove(force=True)
    assert exit_code(running) != 0
    assert running.failure()
    running.stop()


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
