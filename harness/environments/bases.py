"""The image on which the others stand: one that the user names, our own if it is here, else the public one."""

from __future__ import annotations

import os
import subprocess
from typing import Any

import docker
from docker.errors import APIError, ContainerError, ImageNotFound
from docker.models.images import Image

from harness import paths
from harness.environments.base_archive import identity_of
from harness.environments.recipe import public_base
from harness.errors import MissingPrerequisite

LOCAL_BASE = "joulemark/base:bookworm"  # what images/base.sh makes
BASE_VARIABLE = "JOULEMARK_BASE_IMAGE"


def choose_base(client: docker.DockerClient, named: str | None = None) -> tuple[str, str]:
    """Reference and identity of the base. A pinned one need not be here for an image on it to be recognised.

    Raises: MissingPrerequisite if it is neither here nor to be had.
    """
    wanted = named or os.environ.get(BASE_VARIABLE)
    if not wanted and client.images.list(LOCAL_BASE):
        wanted = LOCAL_BASE
    reference = wanted or public_base()
    if "@sha256:" in reference:
        return reference, reference.partition("@")[2]
    return reference, identity(obtain(client, reference))


def identity(image: Image) -> str:
    """A hash of what is in an image: an id holds the time of its making, too, and does not come back."""
    layers, variables = image.attrs["RootFS"].get("Layers") or [], image.attrs["Config"].get("Env") or []
    return identity_of(layers, variables)


def obtain(client: docker.DockerClient, reference: str) -> Image:
    """The image from here, else from its registry. Raises: MissingPrerequisite."""
    try:
        return client.images.get(reference)
    except ImageNotFound:
        pass
    try:
        return client.images.pull(reference)
    except APIError as error:
        raise MissingPrerequisite(
            f"the base image {reference} is not here and cannot be pulled ({error.explanation}); "
            f"`suite images base` makes one from Debian packages (as root), {BASE_VARIABLE} names another"
        ) from error


def require_python(client: docker.DockerClient, reference: str, wanted: str) -> None:
    """Before anything is built. Raises: MissingPrerequisite if the base has no Python, or another one."""
    ask = ["-c", "import sys; print('.'.join(map(str, sys.version_info[:2])))"]
    isolation: dict[str, Any] = {
        "network_mode": "none",
        "read_only": True,
        "cap_drop": ["ALL"],
        "user": "65534:65534",
    }
    try:
        output = client.containers.run(reference, ask, entrypoint="python3", remove=True, **isolation)
    except (APIError, ContainerError) as error:
        raise MissingPrerequisite(f"the base image {reference} has no python3 that runs") from error
    if (found := output.decode().strip()) != wanted:
        raise MissingPrerequisite(f"the base image {reference} has Python {found}, not {wanted}")


def make_base(force: bool = False) -> str:
    """Makes LOCAL_BASE from Debian packages; what was done, in a line. Raises: MissingPrerequisite."""
    command = [str(paths.IMAGES / "base.sh"), *(["--force"] if force else [])]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    said = (result.stdout if result.returncode == 0 else result.stderr).strip().splitlines()
    if result.returncode != 0:
        raise MissingPrerequisite((said or ["images/base.sh failed"])[-1].removeprefix("base.sh: "))
    return said[-1]
