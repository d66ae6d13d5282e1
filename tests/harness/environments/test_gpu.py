"""A GPU that a run could not have is refused before a campaign begins, with the remedy."""

from __future__ import annotations

import shutil
from typing import Any

import docker
import pynvml
import pytest

from harness.devices import CUDA, device
from harness.environments import gpu
from harness.environments.docker import DockerEnvironment
from harness.environments.frameworks import Framework
from harness.errors import MissingPrerequisite

CUDA_GPU = device(CUDA)
TOOLKIT = CUDA_GPU.toolkit
assert TOOLKIT
WITHOUT = {"Runtimes": {"runc": {"path": "runc"}}, "CDISpecDirs": ["/etc/cdi", "/var/run/cdi"]}


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> None:
    """A driver that answers and has one GPU."""
    for name, answer in (("nvmlInit", None), ("nvmlShutdown", None), ("nvmlDeviceGetCount", 1)):
        monkeypatch.setattr(pynvml, name, lambda answer=answer: answer)


def lacks_library() -> None:
    raise pynvml.NVMLError(pynvml.NVML_ERROR_LIBRARY_NOT_FOUND)


@pytest.mark.parametrize(
    "info",
    [
        WITHOUT | {"Runtimes": {"runc": {}, "nvidia": {"path": "nvidia-container-runtime"}}},
        WITHOUT | {"DiscoveredDevices": [{"Source": "cdi", "ID": "nvidia.com/gpu=all"}]},
    ],
)
def test_an_engine_that_serves_gpus_is_taken(info: dict[str, Any]) -> None:
    gpu.require_toolkit(info, CUDA_GPU)


@pytest.mark.parametrize(
    "info",
    [{}, WITHOUT, WITHOUT | {"DiscoveredDevices": [{"Source": "cdi", "ID": "amd.com/gpu=0"}]}],
)
def test_an_engine_without_the_toolkit_names_it(
    info: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda program: None)
    with pytest.raises(MissingPrerequisite, match="nvidia-container-toolkit") as caught:
        gpu.require_toolkit(info, CUDA_GPU)
    assert "\n" not in str(caught.value)


def test_the_toolkit_s_hook_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda program: f"/usr/bin/{program}")
    gpu.require_toolkit(WITHOUT, CUDA_GPU)


def test_a_machine_without_a_driver_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pynvml, "nvmlInit", lacks_library)
    with pytest.raises(MissingPrerequisite, match=r"device cuda: .*no NVIDIA driver; install"):
        gpu.require_driver(CUDA_GPU)


def test_a_driver_without_a_gpu_is_not_enough(driver: None, monkeypatch: pytest.MonkeyPatch) -> None:
    gpu.require_driver(CUDA_GPU)
    monkeypatch.setattr(pynvml, "nvmlDeviceGetCount", lambda: 0)
    with pytest.raises(MissingPrerequisite, match="sees no GPU"):
        gpu.require_driver(CUDA_GPU)


@pytest.mark.engine
def test_no_image_is_built_for_a_gpu_that_is_not_there(
    engine: docker.DockerClient, tiny: Framework, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pynvml, "nvmlInit", lacks_library)
    with pytest.raises(MissingPrerequisite, match="no NVIDIA driver"):
        DockerEnvironment(tiny, "1.0", "cuda").prepare()


@pytest.mark.engine
def test_the_real_engine_is_asked_for_its_toolkit(
    engine: docker.DockerClient, tiny: Framework, driver: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An engine with the toolkit goes on, to the lock that the tiny framework lacks."""
    serves = "nvidia" in engine.info()["Runtimes"] or shutil.which(TOOLKIT.hook)
    with pytest.raises(MissingPrerequisite, match="no lock" if serves else "nvidia-container-toolkit"):
        DockerEnvironment(tiny, "1.0", "cuda").prepare()
