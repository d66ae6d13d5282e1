"""One framework in a container: no network, read-only root, no capability, a user that is not root."""

from __future__ import annotations

import contextlib
import os
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import docker
from docker.models.containers import Container
from docker.models.images import Image

from harness import devices
from harness.environments import asking, container, engine, gpu, images, probe, process_mark, sandbox
from harness.environments.base import Job, RunningJob
from harness.environments.building import Progress
from harness.environments.engine import ENGINE_ERRORS
from harness.environments.frameworks import Framework
from harness.environments.recipe import LABEL, suite_sha256
from harness.errors import MissingPrerequisite
from harness.files.untrusted import printable

LEFT_FOR = timedelta(minutes=10)  # an ended container of a harness that cannot be seen from here is an orphan
ANSWER_TIMEOUT_S = 5  # of each of the two questions by which an engine is found


def available() -> str | None:
    """None if containers can be run here, else the reason in one line, within seconds."""
    try:
        connect()
    except MissingPrerequisite as error:
        return str(error)
    return None


def connect() -> docker.DockerClient:
    """A client of the engine that the environment names (DOCKER_HOST, else the local socket).

    Raises: MissingPrerequisite if none answers, or one that cannot run our containers.
    """
    address = os.environ.get("DOCKER_HOST", "")
    if not _is_local(address):
        raise MissingPrerequisite(f"DOCKER_HOST is {address}; runs need an engine on this machine")
    try:
        with contextlib.closing(docker.from_env(timeout=ANSWER_TIMEOUT_S)) as client:
            info = client.info()
    except ENGINE_ERRORS as error:
        raise MissingPrerequisite(_why_no_answer(error)) from error
    if any("name=rootless" in option for option in info.get("SecurityOptions") or ()):
        raise MissingPrerequisite(
            "the Docker engine is rootless: a build cannot reach the wheels served here"
        )
    return docker.from_env()


def _is_local(address: str) -> bool:
    """Bind mounts name folders of the engine's machine, and meters measure this one."""
    parts = urlsplit(address)
    return parts.scheme in ("", "unix") or parts.hostname in ("localhost", "127.0.0.1", "::1")


def _why_no_answer(error: Exception) -> str:
    if "Permission denied" in str(error) or "PermissionError" in str(error):
        return "no permission to use the Docker engine; join the group docker and log in again"
    return "no Docker engine answers; start one (systemctl start docker) or install docker.io"


class DockerEnvironment:
    """The framework's image, built from its lock when needed; a fresh container for each run."""

    isolation = "docker"

    def __init__(
        self,
        framework: Framework,
        version: str,
        device: str = devices.HOST,
        progress: Progress | None = None,
        allow_stale: bool = False,
    ) -> None:
        self.framework, self.version = framework.name, version
        self._framework, self._device = framework, device
        self._progress, self._allow_stale = progress, allow_stale
        self._inside: dict[str, Any] = {}
        self._variables: dict[str, str] = {}

    def prepare(self) -> None:
        with engine.needed_for(f"{self.framework} {self.version} was prepared"):
            self._prepare()

    def _prepare(self) -> None:
        self._client = connect()
        gpu.require_gpu(self._client, devices.device(self._device))
        self._driver = str(self._client.info().get("CgroupDriver", ""))
        self._image = images.ensure_image(
            self._client,
            self._framework,
            self.version,
            self._device,
            self._progress,
            allow_stale=self._allow_stale,
        )
        self._stale = self._image.labels[LABEL + "suite-sha256"] != suite_sha256()
        self._image_user = asking.image_user(self._image)
        self._inside = self._look_inside()

    def _look_inside(self) -> dict[str, Any]:
        try:
            return probe.parsed(asking.ask(self._client, self._image, probe.SOURCE, self._device))
        except (*ENGINE_ERRORS, ValueError, asking.UnsoundImage) as error:
            raise MissingPrerequisite(
                f"the image of {self.framework} does not run: {printable(error)[:500]}"
            ) from error

    def describe(self) -> dict[str, Any]:
        """With the variables, threads among them, of the run that was started last.

        `stale` says that the image's workloads are not those that the checkout held when it was prepared.
        """
        return {
            **self._inside,
            "image": self._image.tags[0],
            "image_id": self._image.id,
            "image_digest": digest(self._image),
            **_origin(self._image),
            "stale": self._stale,
            "labels": dict(self._image.labels),
            "variables": dict(self._variables),
        }

    def start(self, job: Job) -> RunningJob:
        """Raises: EnvironmentLost if there is no engine any more, MissingPrerequisite if it refuses this run."""
        engine.await_answer(self._client)
        cgroup = sandbox.cgroup_of_its_own(self._driver)
        user = sandbox.worker_user(job.request, self._image_user)
        arguments = sandbox.container_arguments(job, user, cgroup, self._device)
        self._variables = arguments["environment"]
        return container.start(self._client, self._image, job, arguments)

    def sweep(self) -> None:
        with engine.needed_for("what killed campaigns left was removed"):
            sweep(self._client)


def digest(image: Image) -> str:
    """A registry's digest of the image; its id, a digest too, where it was built here and came from none."""
    return str((image.attrs.get("RepoDigests") or [image.id])[0])


def _origin(image: Image) -> dict[str, str]:
    names = ("lock-sha256", "suite-sha256", "base")
    return {name.replace("-", "_"): image.labels[LABEL + name] for name in names}


def sweep(client: docker.DockerClient) -> int:
    """Removes the containers and cgroups of harnesses that are gone (killed, crashed); how many containers.

    Those of another campaign under way stay, our own go: an engine that died while it was asked to remove one, or to
    start one, left it behind. Called under the machine's lock, while no run is under way.
    """
    removed = 0
    found = client.containers.list(all=True, filters={"label": sandbox.HARNESS_LABEL}, ignore_removed=True)
    for one in found:
        if not _is_orphan(one):
            continue
        with engine.accepting_absence():
            one.remove(force=True, v=True)
            removed += 1
        sandbox.remove_cgroup(one.labels.get(sandbox.CGROUP_LABEL))
    sandbox.sweep_cgroups()
    return removed


def _is_orphan(one: Container) -> bool:
    """Whether its harness is gone, or is this one.

    One in another namespace cannot be seen: its container is left until it has ended, as it does when its harness
    dies, and lain there for a while.
    """
    mark = one.labels[sandbox.HARNESS_LABEL]
    gone = process_mark.is_gone(mark)
    if gone is not None:
        return gone or mark == process_mark.own()
    state = one.attrs["State"]
    if state["Status"] not in ("exited", "dead"):
        return False
    return datetime.now(UTC) - datetime.fromisoformat(state["FinishedAt"][:19] + "+00:00") > LEFT_FOR
