"""Which environment a run gets: what the user named, else docker where an engine answers, else virtualenv."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace

from harness import devices
from harness.devices import AUTO, GPUS, HOST, Device
from harness.environments import gpu
from harness.environments.base import Environment
from harness.environments.frameworks import Framework, with_images
from harness.environments.interpreter import InterpreterEnvironment
from harness.environments.virtualenv import VirtualenvEnvironment
from harness.errors import MissingPrerequisite, UsageError
from harness.suggest import unknown

KINDS = ("auto", "docker", "apptainer", "virtualenv", "interpreter")


@dataclass(frozen=True)
class Choice:
    """`notice` is said aloud where the choice is not the one that isolates best.

    `device`: a framework without a build for it stays on the CPU, if another one has one. `allow_stale` takes
    images as they are whose workloads are not the checkout's.
    """

    kind: str
    python: str = ""
    notice: str = ""
    device: str = HOST
    allow_stale: bool = False

    def environment(self, framework: Framework, version: str) -> Environment:
        device = self.device_of(framework, version)
        if self.kind == "docker":
            from harness.environments.docker import (
                DockerEnvironment,  # whoever needs no engine waits for no client
            )

            return DockerEnvironment(framework, version, device, allow_stale=self.allow_stale)
        if self.kind == "apptainer":
            from harness.environments.apptainer import ApptainerEnvironment

            return ApptainerEnvironment(framework, version, device)
        if self.kind == "virtualenv":
            return VirtualenvEnvironment(framework, version, device)
        return InterpreterEnvironment(framework, self.python, device)

    def device_of(self, framework: Framework, version: str) -> str:
        """A version that only the user's interpreter holds is taken for like the default one."""
        known = version if version in framework.versions else framework.default_version
        stays = self.device not in framework.devices(known) and self.device in with_images()
        return HOST if stays else self.device

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


def choose(wanted: str, device: str = HOST, allow_stale: bool = False) -> Choice:
    """`wanted` is a kind, or interpreter=PATH; `device` one of harness.devices, or auto: a GPU where one can be had.

    Raises: UsageError for another word, MissingPrerequisite if a device is wanted that cannot be had.
    """
    choice = _choose_kind(wanted)
    return replace(choice, device=_device(choice.kind, device), allow_stale=allow_stale)


def _device(kind: str, wanted: str) -> str:
    if wanted == HOST or (wanted == AUTO and kind == "interpreter"):  # nobody knows what that was built for
        return HOST
    if wanted != AUTO:
        _require(kind, devices.device(wanted))
        return wanted
    built_for = with_images()
    return next((one.name for one in GPUS if one.name in built_for and _can_be_had(kind, one)), HOST)


def _can_be_had(kind: str, device: Device) -> bool:
    try:
        _require(kind, device)
    except MissingPrerequisite:
        return False
    return True


def _require(kind: str, device: Device) -> None:
    """Raises: MissingPrerequisite for what an environment of this kind lacks to compute on the device."""
    if kind == "apptainer" and not device.apptainer:
        raise MissingPrerequisite(
            f"device {device.name}: apptainer has no option that hands over an {device.title}; "
            "say --environment virtualenv"
        )
    gpu.require_driver(device)
    if kind != "docker":
        gpu.require_access(device)
    elif device.toolkit:
        from harness.environments import docker

        with contextlib.closing(docker.connect()) as client:
            gpu.require_toolkit(client.info(), device)


def _choose_kind(wanted: str) -> Choice:
    kind, _, python = wanted.partition("=")
    if kind not in KINDS:
        raise UsageError(unknown("environment", kind, KINDS))
    if kind == "interpreter" and not python:
        raise UsageError("name the interpreter: --environment interpreter=/path/to/python")
    if kind != "auto":
        return Choice(kind, python)
    from harness.environments import docker

    reason = docker.available()
    if reason is None:
        return Choice("docker")
    return Choice("virtualenv", notice=f"no containers: {reason}; virtual environments are used instead")
