"""One virtual environment per framework and version, installed from its lock, cached and checked before use."""

from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

from filelock import FileLock

from harness import paths
from harness.environments import probe, wheels
from harness.environments.base import Job, RunningJob
from harness.environments.frameworks import Framework, sha256
from harness.environments.process import ProcessJob, worker_command
from harness.errors import MissingPrerequisite

COMPLETE = "joulemark.complete"  # written last: without it the environment is half-made


class VirtualenvEnvironment:
    """The same lock as the image's, without a container around it."""

    isolation = "virtualenv"

    def __init__(self, framework: Framework, version: str, device: str = "cpu") -> None:
        self.version = version
        self._framework = framework
        self._lock = framework.lock(version, device)
        minor = f"py{sys.version_info.major}{sys.version_info.minor}"
        self._lock_sha256 = sha256(self._lock)
        self._folder = paths.environments_home() / (
            f"{framework.name}-{version}-{device}-{minor}-{self._lock_sha256[:12]}"
        )
        self._inside: dict[str, Any] = {}

    @property
    def python(self) -> Path:
        return self._folder / "bin" / "python"

    def prepare(self) -> None:
        self._folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{self._folder}.lock"):
            if not self._is_sound():
                self._create()
        self._inside = probe.probe(self.python)

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
        wanted = pinned(self._lock)
        inside = probe.probe(self.python)["packages"]
        wrong = [name for name, version in wanted.items() if inside.get(name) != version]
        if wrong:
            raise MissingPrerequisite(f"{self._folder} does not hold what its lock says: {', '.join(wrong)}")
        probe.run(self.python, textwrap.dedent(self._framework.check))

    def _create(self) -> None:
        title = f"{self._framework.title} {self.version}"
        minor = f"{sys.version_info.major}.{sys.version_info.minor}"
        house = wheels.download(self._lock, title, minor)
        shutil.rmtree(self._folder, ignore_errors=True)
        try:
            _run([sys.executable, "-m", "venv", str(self._folder)], f"the environment of {title}")
            install = ["install", "--quiet", "--quiet", "--no-index", "--find-links", str(house), "--no-deps"]
            install += ["--disable-pip-version-check", "--require-hashes", "-r", str(self._lock)]
            _run([str(self.python), "-m", "pip", *install], f"the environment of {title}")
            self._check()
            (self._folder / COMPLETE).touch()
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    def describe(self) -> dict[str, Any]:
        return {**self._inside, "lock": self._lock.name, "lock_sha256": self._lock_sha256}

    def start(self, job: Job) -> RunningJob:
        return ProcessJob(worker_command(self.python, job), job)


def pinned(lock: Path) -> dict[str, str]:
    """{name: version} of the lines of a lock, names in lower case with dashes."""
    lines = (line.split(";")[0].strip(" \\\n") for line in lock.read_text().splitlines() if "==" in line)
    pairs = (line.split("==") for line in lines if not line.startswith(("#", "--")))
    return {name.strip().lower().replace("_", "-"): version.strip() for name, version in pairs}


def _run(command: list[str], what: str) -> None:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        lines = (result.stderr or result.stdout).strip().splitlines() or ["no message"]
        raise MissingPrerequisite(f"{what} cannot be made: {lines[-1]}")
