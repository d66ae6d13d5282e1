"""One virtual environment per framework and version, installed from its lock, cached and checked before use."""

from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

from harness import paths
from harness.devices import HOST, device
from harness.environments import gpu, pins, probe, wheels
from harness.environments.base import Job, RunningJob
from harness.environments.frameworks import Framework, sha256
from harness.environments.process import ProcessJob, sweep_homes, worker_command
from harness.errors import MissingPrerequisite

COMPLETE = "joulemark.complete"  # written last: without it the environment is half-made


class VirtualenvEnvironment:
    """The same lock as the image's, without a container around it."""

    isolation = "virtualenv"

    def __init__(self, framework: Framework, version: str, device: str = HOST) -> None:
        self.version = version
        self._framework = framework
        self._device = device
        self._lock = framework.lock(version, device)
        self._lock_sha256 = sha256(self._lock)
        self._minor = pins.host_python()
        tag = f"py{self._minor.replace('.', '')}"
        name = f"{framework.name}-{version}-{device}-{tag}-{self._lock_sha256[:12]}"
        self._folder = paths.environments_home() / name
        self._inside: dict[str, Any] = {}

    @property
    def _title(self) -> str:
        return f"{self._framework.title} {self.version}"

    @property
    def python(self) -> Path:
        return self._folder / "bin" / "python"

    def prepare(self) -> None:
        from filelock import FileLock  # whoever only asks for versions does not wait for it

        self._require_python()
        gpu.require_driver(device(self._device))
        gpu.require_access(device(self._device))
        self._folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{self._folder}.lock"):
            if not self._is_sound():
                self._create()
        self._inside = probe.probe(self.python)

    def _require_python(self) -> None:
        """The environment has the host's Python, so the lock must hold for it."""
        pythons = self._framework.pythons(self.version, self._device)
        if self._minor not in pythons:
            raise MissingPrerequisite(
                f"{self._title} has no lock for Python {self._minor}, only for {', '.join(pythons)}: remove .venv "
                f"and install with `make setup PYTHON=python{pythons[-1]}`, or use containers"
            )

    def _is_sound(self) -> bool:
        if not (self._folder / COMPLETE).exists():
            return False
        try:
            self._check()
        except MissingPrerequisite:
            return False
        return True

    def _check(self) -> None:
        """The lock's versions are installed, and the framework's own check passes."""
        wanted = pins.pinned(self._lock, self._minor)
        inside = probe.probe(self.python)["packages"]
        wrong = [name for name, version in wanted.items() if inside.get(name) != version]
        if wrong:
            raise MissingPrerequisite(f"{self._folder} does not hold what its lock says: {', '.join(wrong)}")
        probe.run(self.python, f"device = {self._device!r}\n{textwrap.dedent(self._framework.check)}")

    def _create(self) -> None:
        house = wheels.download(self._lock, self._title, self._minor)
        shutil.rmtree(self._folder, ignore_errors=True)
        try:
            _run([sys.executable, "-m", "venv", str(self._folder)], f"the environment of {self._title}")
            install = ["install", "--quiet", "--quiet", "--no-index", "--find-links", str(house), "--no-deps"]
            install += ["--disable-pip-version-check", "--require-hashes", "-r", str(self._lock)]
            _run([str(self.python), "-m", "pip", *install], f"the environment of {self._title}")
            self._check()
            (self._folder / COMPLETE).touch()
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    def describe(self) -> dict[str, Any]:
        return {**self._inside, "lock": self._lock.name, "lock_sha256": self._lock_sha256}

    def start(self, job: Job) -> RunningJob:
        return ProcessJob(worker_command(self.python, job), job, self._device)

    def sweep(self) -> None:
        sweep_homes()


def _run(command: list[str], what: str) -> None:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        lines = (result.stderr or result.stdout).strip().splitlines() or ["no message"]
        raise MissingPrerequisite(f"{what} cannot be made: {lines[-1]}")
