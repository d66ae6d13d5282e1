"""What the tests of the environments share: an image small enough to build in seconds, and containers of it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import docker
import pytest

from harness import paths
from harness.environments import container, sandbox
from harness.environments.base import Job, RunningJob
from harness.environments.docker import DockerEnvironment
from harness.environments.frameworks import Framework
from harness.environments.images import ensure_image
from harness.records import Limits
from suite.protocol import Request
from tests.desk import Desk
from tests.harness.environments.containers import RUN
from tests.harness.environments.tiny_image import TINY, make_tiny, remove_images


@pytest.fixture(scope="session")
def tiny_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Wheels and logs of the tiny framework; the images built from it go with the session."""
    yield tmp_path_factory.mktemp("tiny") / "home"
    remove_images(TINY)


@pytest.fixture
def tiny(tiny_home: Path, monkeypatch: pytest.MonkeyPatch) -> Framework:
    """A framework of one pure wheel, made here and found without any index; its image stays for the session."""
    monkeypatch.setenv("JOULEMARK_HOME", str(tiny_home))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    return make_tiny(tiny_home.parent / TINY)


@pytest.fixture
def copied_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout's workloads that a test may change."""
    shutil.copytree(paths.SUITE, tmp_path / "suite", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(paths, "SUITE", tmp_path / "suite")
    return tmp_path / "suite"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A run's folder as the campaign makes it, closed to other users."""
    one = Desk(tmp_path / RUN, Request(RUN, "svm", "tiny", "train", "digits", 1))
    yield one
    one.close()


@pytest.fixture
def job(desk: Desk, tmp_path: Path) -> Job:
    data, state = tmp_path / "data", tmp_path / "state.npz"
    data.mkdir()
    state.write_bytes(b"state")
    return desk.job(data, state)


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

    def run(source: str, limits: Limits | None = None, compiles: bool = False, **options: Any) -> RunningJob:
        console = job.console.with_name(f"console-{len(started)}.log") if started else job.console
        one = replace(job, limits=limits or job.limits, console=console, compiles=compiles)
        settings = sandbox.container_arguments(
            one, sandbox.worker_user(job.request, (10001, 10001)), **options
        )
        settings["entrypoint"] = ["python", "-c", source]
        started.append(container.start(engine, image, one, settings))
        return started[-1]

    yield run
    for one in started:
        one.stop()
