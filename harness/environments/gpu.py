"""Whether a run may ask for a GPU, found out before a campaign begins instead of at its first run."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from typing import Any

import docker
import pynvml

from harness.errors import MissingPrerequisite
from harness.meters import nvml_library

RUNTIME = "nvidia"
HOOK = "nvidia-container-runtime-hook"  # with it an engine serves GPUs though no runtime is registered
CDI_KIND = "nvidia.com/gpu"


def require_gpu(client: docker.DockerClient) -> None:
    """What a container with a GPU needs. Raises: MissingPrerequisite naming what is missing and the remedy."""
    require_driver()
    require_toolkit(client.info())


def require_driver() -> None:
    """What any run on a GPU needs, container or not: a driver that answers and a GPU.

    Raises: MissingPrerequisite with the driver's own reason.
    """
    try:
        with nvml_library.session():
            found = None if pynvml.nvmlDeviceGetCount() else nvml_library.NO_GPU
    except pynvml.NVMLError as error:
        found = nvml_library.unavailable(error, "starting NVML")
    if found is not None:
        raise MissingPrerequisite(f"device cuda: {found.reason}; {found.remedy}")


def require_toolkit(info: Mapping[str, Any]) -> None:
    """`info` is what `docker info` says. Raises: MissingPrerequisite if the engine cannot hand a GPU over."""
    offered = {str(one.get("ID", "")).partition("=")[0] for one in info.get("DiscoveredDevices") or ()}
    if RUNTIME in (info.get("Runtimes") or {}) or CDI_KIND in offered or shutil.which(HOOK):
        return
    raise MissingPrerequisite(
        "device cuda: the Docker engine cannot give a GPU to a container: install nvidia-container-toolkit, "
        "then `nvidia-ctk runtime configure --runtime=docker` and restart the engine"
    )
