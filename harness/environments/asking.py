"""What an image is asked before it is used: an answer has a time and a size, and what could be a trap is refused."""

from __future__ import annotations

import contextlib

import docker
from docker.models.containers import Container
from docker.models.images import Image
from requests.exceptions import ConnectionError as NoAnswer
from requests.exceptions import ReadTimeout

from harness.devices import HOST
from harness.environments import engine, interrupts, sandbox
from harness.environments.engine import ENGINE_ERRORS
from harness.environments.sandbox import User
from harness.errors import MissingPrerequisite
from harness.files.untrusted import printable

ANSWER_BYTES = 4 << 20
ANSWER_S = 120


class UnsoundImage(MissingPrerequisite):
    """The image does not answer as ours do."""


def image_user(image: Image) -> User:
    """The user of the image's own choice. Raises: UnsoundImage if that is root, or a name."""
    user = str(image.attrs["Config"].get("User") or "")
    uid, _, gid = user.partition(":")
    if not (uid.isascii() and uid.isdigit() and gid.isascii() and gid.isdigit() and int(uid) and int(gid)):
        raise UnsoundImage(
            f"the image's user is {user!r}; ours are numbers, and not root's: build it from the checkout"
        )
    return int(uid), int(gid)


def refuse_traps(image: Image) -> None:
    """Raises: UnsoundImage for what ours do not declare.

    A volume is a folder on the host's disk without any bound, a health check a program beside the run's.
    """
    for what in ("Volumes", "Healthcheck"):
        if declared := image.attrs["Config"].get(what):
            named = printable(declared)[:200]
            raise UnsoundImage(
                f"the image declares {what} ({named}), ours do not: build it from the checkout"
            )


def ask(client: docker.DockerClient, image: Image, source: str, device: str = HOST) -> str:
    """What Python source prints inside, under the isolation of every run.

    Raises: UnsoundImage if it fails, does not end in time or says too much; the engine's own errors.
    """
    refuse_traps(image)
    arguments = sandbox.sandbox(image_user(image), device)
    with contextlib.ExitStack() as ending:
        with interrupts.held():  # no signal comes between its making and who removes it
            container = client.containers.create(
                str(image.id), ["-I", "-c", source], entrypoint="python", **arguments
            )
            ending.callback(_remove, container)
        try:
            container.start()
            code = int(container.wait(timeout=ANSWER_S)["StatusCode"])
            said = container.logs(stdout=True, stderr=code != 0)
        except (ReadTimeout, NoAnswer) as error:
            raise UnsoundImage(f"it does not answer within {ANSWER_S} s") from error
    if len(said) > ANSWER_BYTES:
        raise UnsoundImage(f"it says more than {ANSWER_BYTES} bytes")
    text = said.decode(errors="replace")
    if code:
        raise UnsoundImage((text.strip().splitlines() or ["no message"])[-1])
    return text


def _remove(container: Container) -> None:
    with contextlib.suppress(*ENGINE_ERRORS), engine.accepting_absence():
        container.remove(force=True, v=True)
