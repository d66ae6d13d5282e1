"""Whether an image that is here holds what its labels and its lock promise.

Labels can be forged, and what runs inside can lie. So all files are read through the engine, from a container that is
never started, and hashed here: against the checkout, the wheels and the base. Only an image that is found sound then
runs its framework's own check, in the isolation of every run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import docker
from docker.errors import ImageNotFound
from docker.models.images import Image
from packaging.utils import canonicalize_name

from harness import paths
from harness.environments import (
    asking,
    contents,
    holdings,
    image_config,
    images,
    pins,
    reading,
    wheel_files,
)
from harness.environments.asking import UnsoundImage
from harness.environments.bases import choose_base
from harness.environments.frameworks import Framework
from harness.environments.holdings import Holdings
from harness.environments.places import BILL, CONFIGURATION, HOME
from harness.environments.recipe import Recipe, read_recipe
from harness.errors import UnsafeFile
from harness.files.untrusted import parse_json, printable

CHECK = "import tomllib; exec(tomllib.load(open('/opt/joulemark/manifest.toml', 'rb'))['check'], {{'device': {!r}}})"
SHOWN = 3  # places that a line names


@dataclass(frozen=True)
class Audit:
    """`problems`: one line each, none where the image is sound. `unchecked`: what there was nothing to hold against."""

    problems: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)


def examine(client: docker.DockerClient, framework: Framework, version: str, device: str) -> Audit:
    """Everything of one image."""
    recipe = read_recipe(framework, version, device, *choose_base(client))
    image = images.find(client, recipe)
    if image is None:
        return Audit([f"{recipe.tag} is not built: suite images build {framework.name}@{version}"])
    base = _base(client, recipe)
    audit = Audit()
    if changed := images.differences(image, recipe):
        audit.problems.append(f"{recipe.tag} differs from the checkout in: {', '.join(changed)}")
    found = [*image_config.problems(image, base), *_inside(client, image, base, recipe, audit)]
    audit.problems.extend(f"{recipe.tag}: {line}" for line in found)
    if not found:
        audit.problems.extend(_own_check(client, image, recipe))
    return audit


def bill(client: docker.DockerClient, image: Image) -> str:
    """The bill of materials that lies inside; empty if there is none."""
    with contents.container_of(client, str(image.id)) as container:
        return (contents.read(container, BILL) or b"").decode(errors="replace")


def _base(client: docker.DockerClient, recipe: Recipe) -> Image | None:
    try:
        return client.images.get(recipe.base)
    except ImageNotFound:
        return None


def _inside(
    client: docker.DockerClient, image: Image, base: Image | None, recipe: Recipe, audit: Audit
) -> Iterator[str]:
    locked = pins.applying(recipe.lock, pins.PYTHONS[0])
    wheels = {pin.name: wheel for pin in locked if (wheel := wheel_files.find(paths.wheels_home(), pin))}
    audit.unchecked.extend(_unchecked(recipe, base, [pin.name for pin in locked if pin.name not in wheels]))
    try:
        held = reading.held_by(client, image, base, recipe, wheels)
    except UnsafeFile as error:
        yield str(error)
        return
    wrong, more = holdings.pins_differing(locked, held.distributions)
    yield from _line("does not hold what its lock says", wrong)
    yield from _line("holds what its lock does not say", more)
    altered, suite = list(held.altered()), f"{HOME}/suite/"
    yield from _line(
        "holds other workloads than the checkout", [one for one in altered if one.startswith(suite)]
    )
    yield from _line("holds altered files", [one for one in altered if not one.startswith(suite)])
    yield from _line("lacks", held.lacking())
    yield from _line("holds RECORDs that are not their wheels'", held.forged_records())
    yield from _line("holds bytecode that is not its source's", sorted(held.wrong_bytecode))
    yield from _line("holds what no list names", held.unlisted())
    yield from _line("holds otherwise than its base", held.of_the_base())
    if not held.configuration_is_sound():
        yield f"its {CONFIGURATION} is not of `python3 -m venv`"
    if not _bill_is_sound(held):
        yield f"its {BILL} does not tell the packages inside"


def _unchecked(recipe: Recipe, base: Image | None, without_wheel: list[str]) -> Iterator[str]:
    if without_wheel:
        yield (
            f"{recipe.tag}: files of {_few(without_wheel)} are held against the image's own RECORD alone, their "
            f"bytecode against nothing: the wheels are not in {paths.wheels_home()} (suite images build fetches them)"
        )
    if base is None:
        yield (
            f"{recipe.tag}: what comes from the base {recipe.base} is not checked, nor is bytecode of another Python "
            "than this one: the base is not here"
        )


def _bill_is_sound(held: Holdings) -> bool:
    """Whether it names the packages that are there."""
    try:
        parts = parse_json(held.entries[BILL].content or b"")["components"]
        told = {(canonicalize_name(str(one["name"])), str(one["version"])) for one in parts}
    except (KeyError, TypeError, ValueError):
        return False
    inside = {(one.name, one.version) for one in held.distributions}
    return {pair for pair in told if pair[0] != "python"} == inside


def _line(what: str, places: Iterable[str]) -> Iterator[str]:
    if few := _few(list(places)):
        yield f"{what}: {few}"


def _few(places: list[str]) -> str:
    more = f" and {len(places) - SHOWN} more" if len(places) > SHOWN else ""
    return ", ".join(map(printable, places[:SHOWN])) + more


def _own_check(client: docker.DockerClient, image: Image, recipe: Recipe) -> Iterator[str]:
    """Under the isolation of every run."""
    try:
        asking.ask(client, image, CHECK.format(recipe.device))
    except UnsoundImage as error:
        yield f"{recipe.tag} fails its check: {printable(error)}"
