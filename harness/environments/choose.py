"""Which environment a run gets: what the user named, else docker where an engine answers, else virtualenv."""

from __future__ import annotations

from dataclasses import dataclass

from harness.environments import docker
from harness.environments.base import Environment
from harness.environments.docker import DockerEnvironment
from harness.environments.frameworks import Framework
from harness.environments.interpreter import InterpreterEnvironment
from harness.environments.virtualenv import VirtualenvEnvironment
from harness.errors import UsageError
from harness.suggest import unknown

KINDS = ("auto", "docker", "virtualenv", "interpreter")


@dataclass(frozen=True)
class Choice:
    """`notice` is said aloud where the choice is not the one that isolates best."""

    kind: str
    python: str = ""
    notice: str = ""

    def environment(self, framework: Framework, version: str) -> Environment:
        if self.kind == "docker":
            return DockerEnvironment(framework, version, "cpu")
        if self.kind == "virtualenv":
            return VirtualenvEnvironment(framework, version)
        return InterpreterEnvironment(framework, self.python)

    def version(self, framework: Framework, asked: str = "") -> str:
        """The version that runs: the one asked for, else the default, or what the user's interpreter holds.

        Raises: UsageError if the version asked for is not offered, or not what the interpreter holds.
        """
        if self.kind != "interpreter":
            wanted = asked or framework.default_version
            framework.lock_path(wanted)
            return wanted
        held = InterpreterEnvironment(framework, self.python).version
        if asked not in ("", held):
            raise UsageError(f"{self.python} holds {framework.name} {held}, not {asked}")
        return held


def choose(wanted: str) -> Choice:
    """`wanted` is a kind, or interpreter=PATH.

    Raises: UsageError for another word.
    """
    kind, _, python = wanted.partition("=")
    if kind not in KINDS:
        raise UsageError(unknown("environment", kind, KINDS))
    if kind == "interpreter" and not python:
        raise UsageError("name the interpreter: --environment interpreter=/path/to/python")
    if kind != "auto":
        return Choice(kind, python)
    reason = docker.available()
    if reason is None:
        return Choice("docker")
    return Choice("virtualenv", notice=f"no containers: {reason}; virtual environments are used instead")
