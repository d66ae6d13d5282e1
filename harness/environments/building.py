"""One build of an image by the engine: its context, its wheels from this machine's loopback, its log."""

from __future__ import annotations

import re
import shutil
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import docker
from docker.models.images import Image

from harness import paths
from harness.devices import device
from harness.environments import wheels
from harness.environments.recipe import DOCKERFILE_IN_CONTEXT, Recipe
from harness.environments.wheelserver import serve
from harness.errors import MissingPrerequisite

TERMINAL_COLOUR = re.compile("\x1b\\[[0-9;]*m")  # the engine paints a step's stderr

Progress = Callable[[str], None]


def build(client: docker.DockerClient, recipe: Recipe, house: Path, progress: Progress) -> Image:
    """Builds from the wheels in `house`. Raises: MissingPrerequisite with the failing step's own complaint."""
    require_space(Path(client.info()["DockerRootDir"]), recipe)
    progress(f"building {recipe.tag}")
    # The address is part of the pip layer's cache key, hence a port that stays the same for a lock.
    port = 20000 + zlib.crc32(recipe.lock.name.encode()) % 10000
    with serve(house, port) as address:
        _run_build(client, recipe, address, progress)
    return client.images.get(recipe.tag)


def require_space(folder: Path, recipe: Recipe) -> None:
    """Raises: MissingPrerequisite if the engine's disk cannot hold the image."""
    if not folder.exists():  # not ours to see
        return
    free, needed = shutil.disk_usage(folder).free, device(recipe.device).image_bytes
    if free < needed:
        raise MissingPrerequisite(
            f"the disk of {folder} has {free >> 20} MiB free, the image of {recipe.title} needs up to "
            f"{needed >> 20} MiB: `suite images prune` removes outdated ones"
        )


def _run_build(client: docker.DockerClient, recipe: Recipe, wheels_at: str, progress: Progress) -> None:
    """Network "host" is the build's way to the wheels, which are served on this machine's loopback only."""
    output = client.api.build(
        fileobj=recipe.context(),
        custom_context=True,
        dockerfile=DOCKERFILE_IN_CONTEXT,
        tag=recipe.tag,
        buildargs={
            **recipe.arguments,
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
