"""Which environment a run gets: what the user named, else docker where an engine answers, else virtualenv."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace

from harness.environments import docker, gpu
from harness.environments.base import Environment
from harness.environments.docker import DockerEnvironment
from harness.environments.frameworks import Framework
from harness.environments.interpreter import InterpreterEnvironment
from harness.environments.virtualenv import VirtualenvEnvironment
from harness.errors import MissingPrerequisite, UsageError
from harness.suggest import unknown

KINDS = ("auto", "docker", "virtualenv", "interpreter")


@dataclass(frozen=True)
class Choice:
    """`notice` is said aloud where the choice is not the one that isolates best.

    `device` is cuda where GPUs are used; a framework without a CUDA build stays on the CPU. `allow_stale` takes
    images as they are whose workloads are not the checkout's.
    """

    kind: str
    python: str = ""
    notice: str = ""
    device: str = "cpu"
    allow_stale: bool = False

    def environment(self, framework: Framework, version: str) -> Environment:
        device = self.device_of(framework, version)
        if self.kind == "docker":
            return DockerEnvironment(framework, version, device, allow_stale=self.allow_stale)
        if self.kind == "virtualenv":
            return VirtualenvEnvironment(framework, version, device)
        return InterpreterEnvironment(framework, self.python)

    def device_of(self, framework: Framework, version: str) -> str:
        """A version that only the user's interpreter holds is taken for like the default one."""
        known = version if version in framework.versions else framework.default_version
        return self.device if self.device in framework.devices(known) else "cpu"

    def version(self, framework: Framework, asked: str = "") -> str:
        """The version that runs: the one asked for, else the default, or what the user's interpreter holds.

        Raises: UsageError if the version asked for is not offered, or not what the interpreter holds.
        """
        if self.kind != "interpreter":
            return offered(framework, asked)
        held = InterpreterEnvironment(framework, self.python).version
        if asked not in ("", held):
            raise UsageError(f"{self.python} holds {framework.name} {held}, not {asked}")
        return held


def offered(framework: Framework, asked: str = "") -> str:
    """The version asked for, else the default. Raises: UsageError with the nearest version and all on offer."""
    if asked and asked not in framework.versions:
        raise UsageError(unknown(f"version of {framework.name}", asked, framework.versions))
    return asked or framework.default_version


def choose(wanted: str, device: str = "cpu", allow_stale: bool = False) -> Choice:
    """`wanted` is a kind, or interpreter=PATH; `device` cpu, cuda or auto: cuda where it can be had.

    Raises: UsageError for another word, MissingPrerequisite if cuda is wanted and cannot be had.
    """
    choice = _choose_kind(wanted)
    return replace(choice, device=_device(choice.kind, device), allow_stale=allow_stale)


def _device(kind: str, wanted: str) -> str:
    if wanted == "cpu" or (wanted == "auto" and kind == "interpreter"):
        return "cpu"
    try:
        gpu.require_driver()
        if kind == "docker":
            with contextlib.closing(docker.connect()) as client:
                gpu.require_toolkit(client.info())
    except MissingPrerequisite:
        if wanted == "cuda":
            raise
        return "cpu"
    return "cuda"


def _choose_kind(wanted: str) -> Choice:
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
