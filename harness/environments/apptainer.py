"""One framework in an image that Apptainer runs as an ordinary user: what clusters have where they have no Docker."""

from __future__ import annotations

import logging
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness.devices import HOST
from harness.environments import apptainer_command, apptainer_image, audit, pins, probe
from harness.environments.apptainer_job import ApptainerJob, outer_variables
from harness.environments.base import Job, RunningJob
from harness.environments.building import Progress
from harness.environments.frameworks import Framework
from harness.environments.process import sweep_homes
from harness.errors import MissingPrerequisite
from harness.files.untrusted import printable

ANSWER_TIMEOUT_S = 120
NO_PROGRAM = "no apptainer is found: load the site's module (module load apptainer) or install it"
INSTEAD = "or say --environment virtualenv"
log = logging.getLogger(__name__)


def find_program() -> str:
    """Apptainer's path. Raises: MissingPrerequisite if there is none, or no user namespaces for it."""
    program = shutil.which("apptainer")
    if program is None:
        raise MissingPrerequisite(f"{NO_PROGRAM}, {INSTEAD}")
    if not _may_make_namespaces():
        raise MissingPrerequisite(
            "apptainer cannot make user namespaces for you, so that it would need root: ask for "
            f"user.max_user_namespaces above 0 (sysctl), {INSTEAD}"
        )
    return program


def version_of(program: str) -> str:
    """Raises: MissingPrerequisite if it does not say."""
    return _output([program, "version"], "does not tell its version")[:100]


class ApptainerEnvironment:
    """The framework's image, made from the same locks and recipe as Docker's; fresh namespaces for each run."""

    isolation = "apptainer"

    def __init__(
        self, framework: Framework, version: str, device: str = HOST, progress: Progress | None = None
    ) -> None:
        self.version = version
        self._framework, self._device, self._progress = framework, device, progress or log.info
        self._inside: dict[str, Any] = {}
        self._variables: dict[str, str] = {}

    def prepare(self) -> None:
        from filelock import FileLock  # whoever only asks for versions does not wait for it

        self._program = find_program()
        self._apptainer = version_of(self._program)
        self._image = apptainer_image.described(self._framework, self.version, self._device)
        self._image.folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{self._image.folder}.lock"):
            if not self._image.is_there:
                apptainer_image.build(self._program, self._image, self._progress)
        self._inside = self._look_inside()

    def _look_inside(self) -> dict[str, Any]:
        """Raises: MissingPrerequisite if the image is not what its lock says, or cannot be closed as a run is."""
        try:
            found = probe.parsed(self._ask(probe.SOURCE))
        except ValueError as error:
            raise MissingPrerequisite(f"{self._image.root} is no image of ours: {error}") from error
        wanted = pins.pinned(self._image.recipe.lock, pins.PYTHONS[0])
        wrong = [name for name, version in wanted.items() if found["packages"].get(name) != version]
        if wrong:
            raise MissingPrerequisite(
                f"{self._image.folder} does not hold what its lock says ({', '.join(wrong)}): remove it, "
                "it is built anew"
            )
        self._ask(audit.CHECK.format(self._device))
        return found

    def _ask(self, source: str) -> str:
        with tempfile.TemporaryDirectory(prefix="joulemark-ask-") as scratch:
            command = apptainer_command.inside(
                self._program,
                self._image.root,
                [apptainer_command.Bind(Path(scratch), apptainer_command.SCRATCH, writable=True)],
                apptainer_command.OWN_VARIABLES,
                [apptainer_command.PYTHON, "-I", "-c", source],
                self._device,
            )
            return _output(command, f"does not run the image of {self._image.recipe.title}")

    def describe(self) -> dict[str, Any]:
        """With the variables of the run that was started last, and what isolation a run does not get."""
        recipe = self._image.recipe
        return {
            **self._inside,
            "apptainer": self._apptainer,
            "definition_sha256": self._image.sha256,
            "lock": recipe.lock.name,
            "lock_sha256": recipe.labels["org.joulemark.lock-sha256"],
            "suite_sha256": recipe.labels["org.joulemark.suite-sha256"],
            "base": recipe.base,
            "labels": apptainer_image.labels(self._image),
            "not_isolated": list(apptainer_command.not_given(self._device)),
            "variables": dict(self._variables),
        }

    def start(self, job: Job) -> RunningJob:
        self._variables = apptainer_command.variables(job)
        return ApptainerJob(self._program, self._image.root, job, self._device)

    def sweep(self) -> None:
        sweep_homes()


def _may_make_namespaces() -> bool:
    tried = subprocess.run(["unshare", "--user", "--map-root-user", "true"], capture_output=True, check=False)
    return tried.returncode == 0


def _output(command: Sequence[str], what: str) -> str:
    """Raises: MissingPrerequisite with the last line of what it complained about."""
    try:
        ended = subprocess.run(
            command, env=outer_variables(), capture_output=True, text=True, errors="replace",
            stdin=subprocess.DEVNULL, timeout=ANSWER_TIMEOUT_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MissingPrerequisite(f"apptainer {what}: {error}") from error
    if ended.returncode:
        last = (ended.stderr.strip().splitlines() or ["no message"])[-1]
        raise MissingPrerequisite(f"apptainer {what}: {printable(last)[:500]}")
    return ended.stdout.strip()
