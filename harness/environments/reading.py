"""One pass over an image, against which the next questions are asked without the engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import cache

import docker
from docker.models.containers import Container
from docker.models.images import Image

from harness.environments import bytecode, contents, places
from harness.environments.compiling import Suspect, wrong_of
from harness.environments.holdings import Holdings
from harness.environments.places import HOME
from harness.environments.recipe import Recipe
from harness.environments.wheel_files import Wheel


@cache
def _entries_of_base(client: docker.DockerClient, base_id: str) -> dict[str, contents.Entry]:
    """Of several images that stand on one base, it is read once."""
    return {entry.place: entry for entry in contents.entries(client, base_id, lambda place: False)}


def _of_base(client: docker.DockerClient, base: Image | None) -> dict[str, contents.Entry] | None:
    return None if base is None else _entries_of_base(client, str(base.id))


def held_by(
    client: docker.DockerClient, image: Image, base: Image | None, recipe: Recipe, wheels: Mapping[str, Wheel]
) -> Holdings:
    """What the image holds; bytecode is judged as it comes by, so that none of it is kept.

    Raises: UnsafeFile if it holds more than what is read.
    """
    empty = Holdings({}, recipe, wheels, _of_base(client, base))
    found: dict[str, contents.Entry] = {}
    suspects: list[Suspect] = []
    known = empty.base or {}
    with ExitStack() as stack:
        opened = stack.enter_context(contents.container_of(client, str(base.id))) if base else None

        def looked_into(place: str) -> bool:
            return places.keep(place) or (bool(places.source_of(place)) and place not in known)

        for entry in contents.entries(client, str(image.id), looked_into):
            if entry.content is not None and entry.place.endswith(".pyc"):
                suspects.extend(_suspect(entry, empty, opened))
                entry = contents.Entry(entry.place, entry.kind, entry.sha256)
            found[entry.place] = entry
    wrong = wrong_of(client, None if base is None else str(base.id), suspects)
    return Holdings(found, empty.recipe, empty.wheels, empty.base, wrong)


def _suspect(entry: contents.Entry, held: Holdings, base: Container | None) -> Iterator[Suspect]:
    """A .pyc that this Python would not make of its source; none where nobody can tell, or Python ignores it."""
    place, pyc = places.source_of(entry.place), entry.content or b""
    source = held.source(place)
    if source is None and base is not None and place in (held.base or {}):
        source = contents.read(base, place)
    if source is None or (base is None and not bytecode.compiles_here(pyc)):
        return
    name = place.removeprefix(f"{HOME}/")  # the workloads were compiled from there
    if not (bytecode.compiles_here(pyc) and bytecode.is_of(pyc, source, name)):
        yield Suspect(entry.place, name, source, bytecode.structure(pyc[bytecode.HEADER_BYTES :]))
