"""The images' Dockerfile as an Apptainer definition: one recipe, so that two cannot drift apart.

All copies come before all commands there, so a step finds more files than it does in Docker, never fewer or others.
https://apptainer.org/docs/user/main/definition_files.html
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from string import Template

from harness.errors import UsageError

SKIPPED = ("FROM", "USER")  # the base is named above; whoever starts an image is who it runs as


@dataclass
class _Sections:
    """Lines of a definition, by section."""

    files: list[str] = field(default_factory=list)
    post: list[str] = field(default_factory=list)
    environment: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    runscript: list[str] = field(default_factory=list)


def definition(dockerfile: str, arguments: Mapping[str, str], bootstrap: str, source: str) -> str:
    """What Apptainer builds. `arguments` are the Dockerfile's, `bootstrap` and `source` where the base comes from.

    Paths of copied files are relative to the build's folder. Raises: UsageError for an instruction that is not known.
    """
    sections, known = _Sections(), {}
    for word, rest in instructions(dockerfile):
        if word == "ARG":
            name, _, default = rest.partition("=")
            if name in arguments or default:
                known[name] = arguments.get(name, default)
                sections.post.append(_export(name, known[name]))
        elif word not in SKIPPED:
            _translate(sections, word, rest, known)
    return _written(sections, bootstrap, source)


def instructions(dockerfile: str) -> Iterator[tuple[str, str]]:
    """Word and rest of each instruction: comments left out, continued lines joined, as Docker does it."""
    lines = [line for line in dockerfile.splitlines() if line.strip() and not line.startswith("#")]
    for text in "\n".join(lines).replace("\\\n", "").splitlines():
        word, _, rest = text.partition(" ")
        yield word, rest


def _translate(sections: _Sections, word: str, rest: str, known: Mapping[str, str]) -> None:
    if word == "RUN":
        sections.post.append(f"({rest})")
    elif word == "WORKDIR":
        sections.post.append(f"mkdir -p {rest}; cd {rest}")
    elif word == "COPY":
        origin, place = (one.rstrip("/") for one in _filled(rest, known).split())
        sections.files.append(f"{origin} {place}")
    elif word == "ENV":
        exports = [_export(*pair) for pair in _pairs(rest, known)]
        sections.post.extend(exports)
        sections.environment.extend(exports)
    elif word == "LABEL":
        sections.labels.extend(f"{name} {value}" for name, value in _pairs(rest, known))
    elif word == "ENTRYPOINT":
        sections.runscript.append(f'exec {shlex.join(json.loads(rest))} "$@"')
    else:
        raise UsageError(f"the Dockerfile says {word}, which no Apptainer definition is made of here")


def _pairs(rest: str, known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for one in shlex.split(rest):
        name, _, value = one.partition("=")
        yield name, _filled(value, known)


def _filled(text: str, known: Mapping[str, str]) -> str:
    return Template(text).safe_substitute(known)


def _export(name: str, value: str) -> str:
    return f"export {name}={shlex.quote(value)}"


def _written(sections: _Sections, bootstrap: str, source: str) -> str:
    text = f"Bootstrap: {bootstrap}\nFrom: {source}\n"
    for name in ("files", "post", "environment", "labels", "runscript"):
        text += f"\n%{name}\n" + "".join(f"    {line}\n" for line in getattr(sections, name))
    return text
