"""One framework in a container: no network, read-only root, no capability, a user that is not root."""

from __future__ import annotations

import contextlib
import json
import os
from typing import Any
from urllib.parse import urlsplit

import docker
from docker.errors import NotFound
from docker.models.images import Image

from harness.environments import container, engine, gpu, images, probe, sandbox
from harness.environments.base import Job, RunningJob
from harness.environments.building import Progress
from harness.environments.engine import ENGINE_ERRORS
from harness.environments.frameworks import Framework
from harness.environments.recipe import LABEL, suite_sha256
from harness.errors import MissingPrerequisite

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
        device: str = "cpu",
        memory_bytes: int | None = None,
        progress: Progress | None = None,
        allow_stale: bool = False,
    ) -> None:
        self.framework, self.version = framework.name, version
        self._framework, self._device = framework, device
        self._memory_bytes, self._progress, self._allow_stale = memory_bytes, progress, allow_stale
        self._inside: dict[str, Any] = {}
        self._variables: dict[str, str] = {}

    def prepare(self) -> None:
        self._client = connect()
        if self._device == "cuda":
            gpu.require_gpu(self._client)
        sweep(self._client)
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
        uid, _, gid = self._image.attrs["Config"]["User"].partition(":")
        self._image_user = int(uid), int(gid)
        self._inside = self._look_inside()

    def _look_inside(self) -> dict[str, Any]:
        try:
            output = self._client.containers.run(
                str(self._image.id),
                ["-I", "-c", probe.SOURCE],
                entrypoint="python",
                remove=True,
                **sandbox.sandbox(self._image_user, self._device),
            )
        except ENGINE_ERRORS as error:
            raise MissingPrerequisite(f"the image of {self.framework} does not run: {error}") from error
        found: dict[str, Any] = json.loads(output)
        return found

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
        cgroup = sandbox.cgroup_of_its_own(self._driver, job.run_id)
        user = sandbox.worker_user(job.folder, self._image_user)
        settings = sandbox.container_settings(job, user, cgroup, self._memory_bytes, self._device)
        self._variables = settings["environment"]
        return container.start(self._client, self._image, job, user, settings)


def digest(image: Image) -> str:
    """A registry's digest of the image; its id, a digest too, where it was built here and came from none."""
    return str((image.attrs.get("RepoDigests") or [image.id])[0])


def _origin(image: Image) -> dict[str, str]:
    names = ("lock-sha256", "suite-sha256", "base")
    return {name.replace("-", "_"): image.labels[LABEL + name] for name in names}


def sweep(client: docker.DockerClient) -> int:
    """Removes the containers of harnesses that are gone (killed, crashed); how many it removed.

    Those of another campaign under way stay.
    """
    removed = 0
    found = client.containers.list(all=True, filters={"label": sandbox.HARNESS_LABEL}, ignore_removed=True)
    for orphan in found:
        mark = orphan.labels[sandbox.HARNESS_LABEL]
        if sandbox.process_mark(int(mark.partition(":")[0])) == mark:
            continue
        with contextlib.suppress(NotFound):
            orphan.remove(force=True, v=True)
            removed += 1
        sandbox.remove_cgroup(orphan.labels.get(sandbox.CGROUP_LABEL))
    return removed
