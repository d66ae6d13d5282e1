"""Images: one per framework, version and device, built only when what goes in has changed.

A label per ingredient (lock, suite, recipe, base) tells an image that still fits from one that does not.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import docker
from docker.errors import APIError, ImageNotFound
from docker.models.images import Image
from filelock import FileLock

from harness import paths
from harness.environments import wheels
from harness.environments.frameworks import Framework
from harness.environments.recipe import DOCKERFILE, DOCKERFILE_IN_CONTEXT, LABEL, Recipe, read_recipe
from harness.environments.wheelserver import serve
from harness.errors import MissingPrerequisite

LOCAL_BASE = "joulemark/base:bookworm"  # what images/base.sh makes
BASE_VARIABLE = "JOULEMARK_BASE_IMAGE"
TERMINAL_COLOUR = re.compile("\x1b\\[[0-9;]*m")  # the engine paints a step's stderr

Progress = Callable[[str], None]
log = logging.getLogger(__name__)


def ensure_image(
    client: docker.DockerClient,
    framework: Framework,
    version: str,
    device: str = "cpu",
    progress: Progress | None = None,
) -> Image:
    """The image of a framework, built if there is none of the same ingredients.

    Raises: MissingPrerequisite if the lock, the base or a wheel cannot be had, or a step of the build fails.
    """
    recipe = read_recipe(framework, version, device, *_base(client))
    if image := _fitting(client, recipe):
        return image
    paths.home().mkdir(parents=True, exist_ok=True)
    with FileLock(paths.home() / "images.lock"):  # whoever waits here may find the image made meanwhile
        return _fitting(client, recipe) or _build(client, recipe, progress or log.info)


def _fitting(client: docker.DockerClient, recipe: Recipe) -> Image | None:
    try:
        image = client.images.get(recipe.tag)
    except ImageNotFound:
        return None
    return image if recipe.labels.items() <= image.labels.items() else None


def public_base() -> str:
    """The base that the recipe names, pinned by digest."""
    found = re.search(r"^ARG BASE=(\S+)$", DOCKERFILE.read_text(), re.MULTILINE)
    assert found is not None
    return found.group(1)


def _base(client: docker.DockerClient) -> tuple[str, str]:
    """Reference and key of the base: the configured one, else our own if it is here, else the public one.

    A digest pins the content, so such a base need not be here for an image built from it to be recognised.
    """
    configured = os.environ.get(BASE_VARIABLE)
    if not configured and client.images.list(LOCAL_BASE):
        configured = LOCAL_BASE
    reference = configured or public_base()
    if "@sha256:" in reference:
        return reference, reference
    return reference, str(_obtain(client, reference).id)


def _obtain(client: docker.DockerClient, reference: str) -> Image:
    try:
        return client.images.get(reference)
    except ImageNotFound:
        pass
    try:
        return client.images.pull(reference)
    except APIError as error:
        raise MissingPrerequisite(
            f"the base image {reference} is not here and cannot be pulled ({error.explanation}); "
            f"`images/base.sh` makes one from Debian packages (as root), {BASE_VARIABLE} names another"
        ) from error


def _build(client: docker.DockerClient, recipe: Recipe, progress: Progress) -> Image:
    _obtain(client, recipe.base)
    try:
        if _differs_in_code_only(client, recipe):  # the packages come from the engine's cache
            with contextlib.suppress(MissingPrerequisite):
                return _build_with(client, recipe, paths.wheels_home(), progress)
        progress(f"downloading the wheels of {recipe.title}")
        return _build_with(client, recipe, wheels.download(recipe.lock, recipe.title), progress)
    finally:
        _prune(client, recipe.framework)


def _differs_in_code_only(client: docker.DockerClient, recipe: Recipe) -> bool:
    code = f"{LABEL}suite-sha256"
    labels = {name: value for name, value in recipe.labels.items() if name != code}
    return _fitting(client, replace(recipe, labels=labels)) is not None


def _build_with(client: docker.DockerClient, recipe: Recipe, house: Path, progress: Progress) -> Image:
    progress(f"building {recipe.tag}")
    # The address is part of the pip layer's cache key, hence a port that stays the same for a lock.
    port = 20000 + zlib.crc32(recipe.lock.name.encode()) % 10000
    with serve(house, port) as address:
        _run_build(client, recipe, address, progress)
    return client.images.get(recipe.tag)


def _run_build(client: docker.DockerClient, recipe: Recipe, wheels_at: str, progress: Progress) -> None:
    """Network "host" is the build's way to the wheels, which are served on this machine's loopback only."""
    output = client.api.build(
        fileobj=recipe.context(),
        custom_context=True,
        dockerfile=DOCKERFILE_IN_CONTEXT,
        tag=recipe.tag,
        labels=dict(recipe.labels),
        buildargs={
            "BASE": recipe.base,
            "FRAMEWORK": recipe.framework,
            "VERSION": recipe.version,
            "DEVICE": recipe.device,
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": wheels_at,
        },
        network_mode="host",
        rm=True,
        forcerm=True,
        decode=True,
        use_config_proxy=False,
    )
    path = paths.home() / "logs" / f"image-{recipe.framework}-{recipe.version}-{recipe.device}.log"
    path.parent.mkdir(parents=True, exist_ok=True)
    error = _follow(output, path, progress)
    if error:
        raise MissingPrerequisite(f"the image of {recipe.title} cannot be built: {error} (log: {path})")


def _follow(output: Iterator[Mapping[str, Any]], path: Path, progress: Progress) -> str | None:
    """Writes the build's output to a file; the failing step's own complaint if there is one."""
    step: list[str] = []
    with path.open("w") as file:
        for record in output:
            text = TERMINAL_COLOUR.sub("", str(record.get("stream", record.get("error", ""))))
            file.write(text)
            if "error" in record:
                return wheels.last_error("".join(step) or text)
            if text.startswith("Step "):
                progress(text.strip())
                step.clear()
            elif not text.startswith((" ---> ", "Removing intermediate container")):
                step.append(text)
    return None


def _prune(client: docker.DockerClient, framework: str) -> None:
    """Removes what an outdated or failed build of a framework left; an image in use stays."""
    try:
        client.images.prune(filters={"dangling": True, "label": f"{LABEL}framework={framework}"})
    except APIError as error:  # another prune under way
        log.debug("cannot prune images: %s", error)
