"""Targets for the playbooks; one story is told on each, so they live for a module."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import docker
import pytest

from harness import paths
from tests.ansible import fake_host
from tests.ansible.target import FAKE, HOME, IMAGE, PEOPLE, SWAPOFF, SWAPON, SYSTEMD, Target, packed
from tests.conftest import ON_CI

CHECKOUT = (
    "ansible",
    "harness",
    "suite",
    "reports",
    "images",
    "compose",
    "Makefile",
    "pyproject.toml",
    "README.md",
)
LOCKS = ("requirements.lock", "LICENSE")

Start = Callable[..., Target]


@pytest.fixture(scope="session")
def image(engine: docker.DockerClient) -> str:
    made = subprocess.run(
        [Path(__file__).with_name("target.sh")], capture_output=True, text=True, check=False
    )
    if made.returncode and not ON_CI:
        pytest.skip(f"no machine with systemd can be made here: {made.stderr.strip()}")
    assert made.returncode == 0, made.stderr
    return IMAGE


@pytest.fixture(scope="module")
def start(
    engine: docker.DockerClient, image: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Start]:
    """Starts a target; keywords are arguments of the engine. All end with the module."""
    started = []

    def one(**arguments: Any) -> Target:
        container = engine.containers.run(image, detach=True, **(SYSTEMD | arguments))
        started.append(container)
        target = Target(container)
        _furnish(target, tmp_path_factory.mktemp("host"))
        return target

    yield one
    for container in started:
        container.remove(force=True, v=True)


def _furnish(target: Target, folder: Path) -> None:
    """The fake trees, the people and the checkout that ann has cloned."""
    fake_host.build(folder)
    (folder / "swapoff").write_text(SWAPOFF)
    (folder / "swapon").write_text(SWAPON)
    target.sh(f"mkdir -p {FAKE}")
    target.put(folder, FAKE)
    if target.container.attrs["Config"]["Entrypoint"] == SYSTEMD["entrypoint"]:
        target.wait_for_systemd()
    assert target.sh(f"set -e; {PEOPLE}").code == 0
    target.sh(f"mkdir {HOME}")
    target.container.put_archive(HOME, packed({name: paths.ROOT / name for name in (*CHECKOUT, *LOCKS)}))
    target.sh(f"chown -R ann: {HOME}; chmod 755 /home/ann")


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The harness's own packages, as somebody would carry them to an air-gapped host."""
    folder = tmp_path_factory.mktemp("wheels")
    folder.chmod(0o755)  # for the people in the target
    lock = ["--require-hashes", "-r", str(paths.ROOT / "requirements.lock")]
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([*pip, "download", *lock, "-d", str(folder)], check=True)
    return folder
