"""Images: one per framework, version and device, built only when what goes in has changed.

A label per ingredient (lock, suite, recipe, base) tells an image that still fits from one that does not.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator

import docker
from docker.errors import APIError, ImageNotFound
from docker.models.images import Image
from filelock import FileLock

from harness import paths
from harness.devices import HOST
from harness.environments import pins, wheels
from harness.environments.bases import choose_base, obtain, require_python
from harness.environments.building import Progress, build
from harness.environments.frameworks import Framework
from harness.environments.recipe import LABEL, Recipe, read_recipe
from harness.errors import MissingPrerequisite

OURS = f"{LABEL}framework"
log = logging.getLogger(__name__)


def ensure_image(
    client: docker.DockerClient,
    framework: Framework,
    version: str,
    device: str = HOST,
    progress: Progress | None = None,
    *,
    base: str | None = None,
    allow_stale: bool = False,
) -> Image:
    """The image of a framework, built if there is none of the same ingredients.

    `allow_stale` takes one whose workloads are not the checkout's as it is.
    Raises: MissingPrerequisite if the lock, the base or a wheel cannot be had, or a step of the build fails.
    """
    recipe = read_recipe(framework, version, device, *choose_base(client, base))
    if image := _usable(client, recipe, allow_stale):
        return image
    paths.home().mkdir(parents=True, exist_ok=True)
    with FileLock(paths.home() / "images.lock"):  # whoever waits here may find the image made meanwhile
        return _usable(client, recipe, allow_stale) or _build(client, recipe, progress or log.info)


def find(client: docker.DockerClient, recipe: Recipe) -> Image | None:
    """The image under the recipe's tag, whatever it was made of."""
    try:
        return client.images.get(recipe.tag)
    except ImageNotFound:
        return None


def differences(image: Image, recipe: Recipe) -> list[str]:
    """The ingredients in which an image differs from the checkout: lock, suite, recipe, base..."""
    changed = [name for name, value in recipe.labels.items() if image.labels.get(name) != value]
    return [name.removeprefix(LABEL).removesuffix("-sha256").removesuffix("-digest") for name in changed]


def is_stale(image: Image, recipe: Recipe) -> bool:
    """Whether it differs in its workloads alone."""
    return differences(image, recipe) == ["suite"]


def _usable(client: docker.DockerClient, recipe: Recipe, allow_stale: bool) -> Image | None:
    image = find(client, recipe)
    if image is None or not differences(image, recipe):
        return image
    return image if allow_stale and is_stale(image, recipe) else None


def _build(client: docker.DockerClient, recipe: Recipe, progress: Progress) -> Image:
    obtain(client, recipe.base)
    outdated = find(client, recipe)
    stale = outdated is not None and is_stale(outdated, recipe)
    try:
        if stale:  # the packages come from the engine's cache
            with contextlib.suppress(MissingPrerequisite):
                return build(client, recipe, paths.wheels_home(), progress)
        require_python(client, recipe.base, pins.PYTHONS[0])
        progress(f"downloading the wheels of {recipe.title}")
        return build(client, recipe, wheels.download(recipe.lock, recipe.title), progress)
    except MissingPrerequisite as error:
        hint = "; --allow-stale runs the image with the workloads that it holds" if stale else ""
        raise MissingPrerequisite(f"{error}{hint}") from error
    finally:
        _remove_dangling(client, recipe.framework)


def _remove_dangling(client: docker.DockerClient, framework: str) -> None:
    """Removes what an outdated or failed build of a framework left; an image in use stays."""
    try:
        client.images.prune(filters={"dangling": True, "label": f"{LABEL}framework={framework}"})
    except APIError as error:  # another prune under way
        log.debug("cannot prune images: %s", error)


def prune(client: docker.DockerClient, keep: set[str], label: str = OURS) -> Iterator[str]:
    """Removes every image with the label whose tag is not kept; yields what went. An image in use stays."""
    for image in client.images.list(filters={"label": label}):
        name = image.tags[0] if image.tags else str(image.short_id)
        if name not in keep:
            with contextlib.suppress(APIError):
                client.images.remove(str(image.id), force=bool(image.tags))
                yield name
