"""One worker in one container: its start, its life, its end."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Mapping
from typing import Any

import docker
import psutil
from docker.errors import ImageNotFound, NotFound
from docker.models.containers import Container
from docker.models.images import Image
from requests.exceptions import ReadTimeout

from harness.environments import engine, interrupts, sandbox
from harness.environments.base import Job
from harness.environments.engine import ENGINE_ERRORS
from harness.errors import MissingPrerequisite

STOP_TIMEOUT_S = 5
WAIT_TIMEOUT_S = 60  # of one call; a longer run is waited for by the next call
RECONNECT_S = 0.25
KILLED, TERMINATED = 128 + 9, 128 + 15
ENGINE_LEFT = "the Docker engine went away during the run"
log = logging.getLogger(__name__)


class ContainerJob:
    """A started container. A thread waits for its end: `poll` costs nothing and survives lost connections."""

    def __init__(self, client: docker.DockerClient, container: Container, job: Job) -> None:
        self._client, self._job = client, job
        self._id, self._cgroup = str(container.id), container.labels.get(sandbox.CGROUP_LABEL)
        self._pid = int(client.api.inspect_container(self._id)["State"]["Pid"])
        self._end: Mapping[str, Any] | None = None  # the engine's "State" after the exit
        self._engine_left = False
        self._given_up = threading.Event()
        self._removed = False
        self._watcher = threading.Thread(target=self._watch, name=f"joulemark-{job.run_id}", daemon=True)
        self._watcher.start()

    @property
    def pid(self) -> int:
        """The container's init; 0 if it ended at once."""
        return self._pid

    @property
    def worker_pid(self) -> int:
        """The first child of the container's init, which is the engine's own; of a container without one, its first.

        The ids are the host's, as the engine's inspection gives them: nobody inside has a word in it.
        """
        with contextlib.suppress(psutil.Error):
            children = psutil.Process(self._pid).children() if self._pid else []
            return min(children, key=psutil.Process.create_time, default=psutil.Process(self._pid)).pid
        return 0

    def poll(self) -> int | None:
        return None if self._end is None else int(self._end["ExitCode"])

    def failure(self) -> str | None:
        """Out of memory shows in the flag only, when a child was killed and the worker went on to exit 0."""
        end = self._end or {"ExitCode": KILLED if self._engine_left else 0}
        if end.get("OOMKilled"):
            limit_bytes = sandbox.memory_bytes(self._job.limits)
            return (
                f"out of memory: the kernel killed a process of the run, which may have {limit_bytes >> 20} MiB "
                "(memory_share of the plan)"
            )
        if end.get("Error"):
            return str(end["Error"])
        if self._engine_left and end["ExitCode"] in (KILLED, TERMINATED):
            return ENGINE_LEFT
        return "ended by SIGKILL (out of memory?)" if end["ExitCode"] == KILLED else None

    def stop(self) -> None:
        """Raises: EnvironmentLost if the engine is gone for good; the next start sweeps what is left of the run."""
        if self._removed:
            return
        try:
            engine.await_answer(self._client)
            self._end_and_remove()
        except ENGINE_ERRORS as error:  # the next sweep finds it by its label
            log.warning("container %s of run %s is left behind: %s", self._id[:12], self._job.run_id, error)
        finally:
            self._given_up.set()
            sandbox.remove_cgroup(self._cgroup)
            self._removed = True

    def _end_and_remove(self) -> None:
        with engine.accepting_absence():
            if self._end is None:
                self._client.api.stop(self._id, timeout=STOP_TIMEOUT_S)
            self._watcher.join(STOP_TIMEOUT_S)  # it saves the console, which goes with the container
            self._client.api.remove_container(self._id, force=True, v=True)

    def _watch(self) -> None:
        end = self._wait()
        if end is not None:
            with contextlib.suppress(OSError, *ENGINE_ERRORS):
                self._save_console()
        self._end = end

    def _wait(self) -> Mapping[str, Any] | None:
        """The state after the exit, however often the engine hangs up meanwhile; None if nobody wants it."""
        while not self._given_up.is_set():
            try:
                with contextlib.closing(docker.from_env(timeout=WAIT_TIMEOUT_S)) as own:
                    own.api.wait(self._id)
                    state: Mapping[str, Any] = own.api.inspect_container(self._id)["State"]
                    return state
            except NotFound:
                return {"ExitCode": KILLED, "Error": "somebody removed the container"}
            except ENGINE_ERRORS as error:
                self._engine_left |= not isinstance(error, ReadTimeout)
                log.debug("waiting for run %s again: %s", self._job.run_id, error)
                self._given_up.wait(RECONNECT_S)
        return None

    def _save_console(self) -> None:
        with contextlib.closing(docker.from_env(timeout=WAIT_TIMEOUT_S)) as own:
            output = own.api.logs(self._id, stdout=True, stderr=True)
        with self._job.console.open("xb") as file:
            file.write(output)


def start(client: docker.DockerClient, image: Image, job: Job, arguments: Mapping[str, Any]) -> ContainerJob:
    """Creates and starts the container of a job.

    Raises: MissingPrerequisite with the engine's reason; nothing is left then.
    """
    try:
        with interrupts.held():
            return _start(client, image, job, arguments)
    except ImageNotFound as error:
        name = image.tags[0] if image.tags else image.id
        raise MissingPrerequisite(
            f"the image {name} was removed while the campaign ran; run again, it is built anew"
        ) from error
    except ENGINE_ERRORS as error:
        reason = getattr(error, "explanation", None) or error
        raise MissingPrerequisite(f"the container of run {job.run_id} does not start: {reason}") from error


def _start(client: docker.DockerClient, image: Image, job: Job, arguments: Mapping[str, Any]) -> ContainerJob:
    command = [sandbox.REQUEST, sandbox.JOB, sandbox.DATA, *([sandbox.STATE] if job.state else [])]
    with contextlib.ExitStack() as undo:
        undo.callback(sandbox.remove_cgroup, arguments["labels"].get(sandbox.CGROUP_LABEL))
        container = client.containers.create(str(image.id), command, **arguments)
        undo.callback(container.remove, force=True, v=True)
        container.start()
        started = ContainerJob(client, container, job)
        undo.pop_all()
        return started
