"""suite images: the frameworks' images, built, looked at and removed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import click
import docker

from harness.cli import completing, screen
from harness.cli.one_of import OneOf
from harness.devices import DEVICES, HOST
from harness.environments import audit, bases, images
from harness.environments.choose import offered
from harness.environments.docker import connect
from harness.environments.frameworks import Framework, frameworks
from harness.environments.locks import relock
from harness.environments.recipe import read_recipe
from harness.errors import UsageError
from harness.planning import planner
from reports.formats import plural

Target = tuple[Framework, str]
_device: Callable[[Any], Any] = click.option(
    "--device", default=HOST, show_default=True, type=OneOf(list(DEVICES)), help="What the image computes on."
)
_targets: Callable[[Any], Any] = click.argument(
    "targets", nargs=-1, metavar="[FRAMEWORK[@VERSION]]...", shell_complete=completing.frameworks
)


@click.group("images")
def command() -> None:
    """Builds, lists, verifies and removes the frameworks' images."""


@command.command("build")
@_targets
@_device
@click.option("--base", help="Image to build on, instead of the pinned public one.")
def build(targets: tuple[str, ...], device: str, base: str | None) -> None:
    """Builds what is missing or outdated: the default version of every framework without TARGETS."""
    chosen = _chosen(targets, device)
    with closing(connect()) as client:
        for one, version in chosen:
            image = images.ensure_image(client, one, version, device, screen.say, base=base)
            screen.say(f"{image.tags[0]} is up to date, {str(image.id).removeprefix('sha256:')[:12]}")


@command.command("list")
@_device
def list_(device: str) -> None:
    """Every version offered, and whether its image is here and fits the checkout."""
    with closing(connect()) as client:
        base = bases.choose_base(client)
        rows = [_row(client, one, version, device, base) for one, version in _all(device)]
    table = screen.table("framework", "version", "image", "size", "state")
    for row in rows:
        screen.add_row(table, *row)
    screen.console.print(table)


def _row(
    client: docker.DockerClient, one: Framework, version: str, device: str, base: tuple[str, str]
) -> tuple[str, ...]:
    recipe = read_recipe(one, version, device, *base)
    image = images.find(client, recipe)
    if image is None:
        return one.name, version, "", "", "not built"
    changed = images.differences(image, recipe)
    size = f"{image.attrs['Size'] / 1e9:.2f} GB"
    state = f"outdated: {', '.join(changed)}" if changed else "up to date"
    return one.name, version, str(image.id).removeprefix("sha256:")[:12], size, state


@command.command("verify")
@_targets
@_device
def verify(targets: tuple[str, ...], device: str) -> int:
    """Looks into images without running them: every file against checkout, wheels and base; then their own check."""
    chosen = _chosen(targets, device)
    with closing(connect()) as client:
        audits = [audit.examine(client, one, version, device) for one, version in chosen]
    found = [line for one in audits for line in one.problems]
    for line in found or ["every image holds what the checkout, its lock and its base say"]:
        screen.say(line)
    for line in (line for one in audits for line in one.unchecked):
        screen.say(f"not checked: {line}")
    return 1 if found else 0


@command.command("bom")
@click.argument("target", metavar="FRAMEWORK[@VERSION]", shell_complete=completing.frameworks)
@_device
def bom(target: str, device: str) -> None:
    """Prints the CycloneDX bill of materials of an image."""
    ((one, version),) = _chosen((target,), device)
    with closing(connect()) as client:
        recipe = read_recipe(one, version, device, *bases.choose_base(client))
        image = images.find(client, recipe)
        if image is None:
            raise UsageError(f"{recipe.tag} is not built: suite images build {one.name}@{version}")
        screen.echo(audit.bill(client, image).strip() + "\n")


@command.command("prune")
@click.option("--all", "everything", is_flag=True, help="Also those that are up to date.")
def prune(everything: bool) -> None:
    """Removes our images that do not fit the checkout any more."""
    with closing(connect()) as client:
        keep = set() if everything else set(_fitting(client))
        removed = list(images.prune(client, keep))
    for name in removed:
        screen.say(f"removed {name}")
    screen.say(f"{plural(len(removed), 'image')} removed")


def _fitting(client: docker.DockerClient) -> Iterator[str]:
    base = bases.choose_base(client)
    for device in DEVICES:
        for one, version in _all(device):
            recipe = read_recipe(one, version, device, *base)
            image = images.find(client, recipe)
            if image and not images.differences(image, recipe):
                yield recipe.tag


@command.command("lock")
@click.argument(
    "targets", nargs=-1, required=True, metavar="FRAMEWORK[@VERSION]...", shell_complete=completing.frameworks
)
@_device
def lock(targets: tuple[str, ...], device: str) -> None:
    """Resolves locks anew from their manifests, and shows what changed."""
    for one, version in _chosen(targets, device):
        difference = relock(one, version, device)
        for line in difference.splitlines() or [
            f"the lock of {one.title} {version} for {device} is as it was"
        ]:
            screen.say(line)


@command.command("base")
@click.option("--force", is_flag=True, help="Make it anew.")
def base(force: bool) -> None:
    """Makes a base image from Debian packages, where no registry can be reached."""
    screen.say(bases.make_base(force))


def _chosen(targets: tuple[str, ...], device: str) -> list[Target]:
    """Raises: UsageError for a framework or version that is not offered."""
    if not targets:
        every = _all(device)
        return [
            (one, version) for one, version in every if version == one.default_version and not one.variant
        ]
    return [_target(text) for text in targets]


def _target(text: str) -> Target:
    one, version = planner.parse_framework(text)
    return one, offered(one, version)


def _all(device: str) -> list[Target]:
    """Every version that has a lock for the device."""
    offered = [(one, version) for one in frameworks().values() for version in one.versions]
    return [(one, version) for one, version in offered if one.lock_path(version, device).is_file()]
