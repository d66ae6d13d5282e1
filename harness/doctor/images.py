"""Images and locks of every framework's default version."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import docker

from harness.devices import HOST
from harness.doctor.check import Check, Level, judged
from harness.environments import bases, images
from harness.environments.docker import connect
from harness.environments.frameworks import Framework, frameworks
from harness.environments.recipe import read_recipe
from harness.errors import MissingPrerequisite

WHY = "suite run builds what is missing or outdated by itself, which takes minutes"


def checks() -> Iterator[Check]:
    yield from locks()
    try:
        with closing(connect()) as client:
            base = bases.choose_base(client)
            yield from (image(client, one, base) for one in frameworks().values() if not one.variant)
    except MissingPrerequisite as error:
        yield Check("images", Level.WORSE, str(error), WHY, "suite images base, without a registry")


def locks() -> Iterator[Check]:
    """Every version and device that a manifest offers has its lock."""
    lacking = [
        f"{one.name}@{version} {device}"
        for one in frameworks().values()
        for version in one.versions
        for device in one.devices(version)
        if not one.lock_path(version, device).exists()
    ]
    yield judged(
        "locks",
        not lacking,
        "one for each version and device" if not lacking else f"missing: {', '.join(lacking)}",
        "an environment is built from its lock, each wheel checked by its hash",
        "suite images lock FRAMEWORK@VERSION --device DEVICE",
        Level.MISSING,
    )


def image(client: docker.DockerClient, one: Framework, base: tuple[str, str]) -> Check:
    """Whether the default version's image is here and fits the checkout."""
    recipe = read_recipe(one, one.default_version, HOST, *base)
    found = images.find(client, recipe)
    changed = images.differences(found, recipe) if found else []
    state = "not built" if found is None else f"outdated: {', '.join(changed)}" if changed else "up to date"
    good = found is not None and not changed
    return judged(f"image {one.name}", good, state, WHY, f"suite images build {one.name}")
