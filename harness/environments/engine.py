"""Whether the engine is still there: it may be restarted, or die, while a campaign runs."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Iterator

import docker
from docker.errors import APIError, DockerException, NotFound
from requests.exceptions import RequestException

from harness.errors import EnvironmentLost, MissingPrerequisite
from harness.files.untrusted import printable

# What talking to the engine may raise: its own answer, or a lost connection (ReadTimeout, ChunkedEncodingError).
ENGINE_ERRORS = (DockerException, RequestException)
RETURNS_WITHIN_S = 60.0  # an upgrade's restart takes seconds
LOOK_S = 0.25
CONFLICT = 409
log = logging.getLogger(__name__)


def await_answer(client: docker.DockerClient) -> None:
    """Returns once the engine answers. Raises: EnvironmentLost if it does not come back."""
    if _answers(client):
        return
    log.warning("the Docker engine does not answer: waiting up to %g s for it", RETURNS_WITHIN_S)
    end_s = time.monotonic() + RETURNS_WITHIN_S
    while not _answers(client):
        if time.monotonic() > end_s:
            raise EnvironmentLost(
                f"the Docker engine has not answered for {RETURNS_WITHIN_S:g} s; start it (systemctl start docker), "
                "then go on with suite run --resume"
            )
        time.sleep(LOOK_S)


@contextlib.contextmanager
def needed_for(what: str) -> Iterator[None]:
    """Raises: MissingPrerequisite where the engine goes away, or refuses, in the middle of it."""
    try:
        yield
    except ENGINE_ERRORS as error:
        raise MissingPrerequisite(
            f"the Docker engine failed while {what}: {printable(error)[:300]}; see that it runs, then say it again"
        ) from error


@contextlib.contextmanager
def accepting_absence() -> Iterator[None]:
    """For what shall go: it is gone already, or somebody else is removing it (409)."""
    try:
        yield
    except NotFound:
        return
    except APIError as error:
        if error.status_code != CONFLICT:
            raise


def _answers(client: docker.DockerClient) -> bool:
    try:
        return bool(client.ping())
    except ENGINE_ERRORS:  # also while it starts
        return False
