"""What the tests of the environments share: an image small enough to build in seconds, and containers of it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
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
        started.append(container.start(engine, image, job, user, settings))
        return started[-1]

    yield run
    for one in started:
        one.stop()
