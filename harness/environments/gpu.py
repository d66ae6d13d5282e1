"""Whether a run may ask for a device, found out before a campaign begins instead of at its first run."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.devices import Device
from harness.errors import MissingPrerequisite
from harness.meters import gpus

if TYPE_CHECKING:
    import docker

ROOT = Path("/")


def require_gpu(client: docker.DockerClient, device: Device) -> None:
    """What a container with a GPU needs. Raises: MissingPrerequisite naming what is missing and the remedy."""
    require_driver(device)
    require_toolkit(client.info(), device)


def require_driver(device: Device) -> None:
    """What any run on a device needs, container or not: a driver that answers, a GPU, and the files to reach it by.

    Raises: MissingPrerequisite with the driver's own reason.
    """
    if not device.vendor:
        return
    if lacking := gpus.VENDORS[device.vendor].lacking():
        raise MissingPrerequisite(f"device {device.name}: {lacking.reason}; {lacking.remedy}")
    if lost := [pattern for pattern in device.nodes.values() if not _nodes(pattern)]:
        raise MissingPrerequisite(
            f"device {device.name}: {lost[0]} is not there; load the {device.title}'s driver (see the kernel's log)"
        )


def why_not(device: Device) -> str:
    """As require_driver, in words; empty where nothing is missing."""
    try:
        require_driver(device)
    except MissingPrerequisite as error:
        return str(error)
    return ""


def require_access(device: Device) -> None:
    """What a run without a container needs besides: it opens the device's files as the user.

    Raises: MissingPrerequisite naming the file and its group.
    """
    for pattern in device.nodes.values():
        found = _nodes(pattern)
        if not any(os.access(one, os.R_OK | os.W_OK) for one in found):
            raise MissingPrerequisite(
                f"device {device.name}: no permission to use {found[0]}; join its group "
                f"(number {found[0].stat().st_gid}; often: render or video) and log in again"
            )


def _nodes(pattern: str) -> list[Path]:
    """The device files of a pattern, in order."""
    return sorted(ROOT.glob(pattern.lstrip("/")))


def groups(device: Device) -> dict[str, str]:
    """Variables of compose/suite.yaml -> the groups that own the device's files, by number: names differ inside."""
    return {
        variable: str(found[0].stat().st_gid)
        for variable, pattern in device.nodes.items()
        if (found := _nodes(pattern))
    }


def require_toolkit(info: Mapping[str, Any], device: Device) -> None:
    """`info` is what `docker info` says. Raises: MissingPrerequisite if the engine cannot hand a GPU over."""
    toolkit = device.toolkit
    if toolkit is None:
        return
    offered = {str(one.get("ID", "")).partition("=")[0] for one in info.get("DiscoveredDevices") or ()}
    runtimes = info.get("Runtimes") or {}
    if toolkit.runtime in runtimes or toolkit.cdi_kind in offered or shutil.which(toolkit.hook):
        return
    raise MissingPrerequisite(
        f"device {device.name}: the Docker engine cannot give a GPU to a container: {toolkit.remedy}"
    )
