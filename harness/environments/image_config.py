"""How an image is configured, against the Dockerfile and the base: what would run, as whom, with which variables."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from docker.models.images import Image

from harness.environments.recipe import DOCKERFILE
from harness.files.untrusted import printable

# Of the public base, told by name where it is not here; their values are nothing that Python or a library reads.
PUBLIC_VARIABLES = {"GPG_KEY", "PYTHON_VERSION", "PYTHON_SHA256"}
UNWANTED = ("Cmd", "Volumes", "Healthcheck", "OnBuild", "Shell")  # the recipe sets none


def problems(image: Image, base: Image | None) -> Iterator[str]:
    """What of the configuration is not the recipe's, and whether the image stands on its base."""
    config, wanted = image.attrs["Config"], declared(DOCKERFILE.read_text())
    for name in ("Entrypoint", "User", "WorkingDir"):
        if config.get(name) != wanted[name]:
            yield f"its {name} is {printable(config.get(name))}, not {wanted[name]}"
    yield from (f"it sets {name}, which the recipe does not" for name in UNWANTED if config.get(name))
    yield from _variables(
        _pairs(config), wanted["Env"], None if base is None else _pairs(base.attrs["Config"])
    )
    if base is not None and layers(image)[: len(layers(base))] != layers(base):
        yield "its first layers are not those of its base"


def declared(dockerfile: str) -> dict[str, Any]:
    """What the instructions of our Dockerfile leave in an image's configuration."""
    found: dict[str, Any] = {"Env": {}}
    arguments: dict[str, str] = {}
    for word, rest in _instructions(dockerfile):
        if word == "ARG" and "=" in rest:
            arguments |= dict([rest.split("=", 1)])
        elif word == "ENV":
            found["Env"] |= dict(pair.split("=", 1) for pair in shlex.split(rest))
        elif word == "ENTRYPOINT":
            found["Entrypoint"] = json.loads(rest)
        elif word == "WORKDIR":
            found["WorkingDir"] = rest
        elif word == "USER":
            found["User"] = rest.replace("${UID}", arguments["UID"])
    return found


def layers(image: Image) -> list[str]:
    """The hashes of its layers' content, lowest first."""
    return list(image.attrs["RootFS"].get("Layers") or ())


def _instructions(dockerfile: str) -> Iterator[tuple[str, str]]:
    for line in dockerfile.replace("\\\n", " ").splitlines():
        word, _, rest = line.strip().partition(" ")
        if word and not word.startswith("#"):
            yield word, rest.strip()


def _pairs(config: Mapping[str, Any]) -> dict[str, str]:
    return dict(pair.split("=", 1) if "=" in pair else (pair, "") for pair in config.get("Env") or ())


def _variables(
    found: Mapping[str, str], ours: Mapping[str, str], of_base: Mapping[str, str] | None
) -> Iterator[str]:
    known = {**(of_base or {name: found[name] for name in PUBLIC_VARIABLES & set(found)}), **ours}
    for name in sorted({*found, *known}):
        if found.get(name) != known.get(name):
            yield f"its variable {printable(name)} is {printable(found.get(name))}, not {known.get(name)}"
