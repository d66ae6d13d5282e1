"""A GPU that a run could not have is refused before a campaign begins, with the remedy."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import docker
import pynvml
import pytest

from harness.devices import CUDA, device
from harness.environments import gpu
from harness.environments.docker import DockerEnvironment
from harness.environments.frameworks import Framework
from harness.errors import MissingPrerequisite
from harness.meters import amd

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


@pytest.fixture
def dev(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A root whose device files a test makes; AMD's library sees a GPU."""
    monkeypatch.setattr(gpu, "ROOT", tmp_path)
    monkeypatch.setattr(amd, "lacking", lambda: None)
    (tmp_path / "dev" / "dri").mkdir(parents=True)
    return tmp_path / "dev"


def test_a_device_file_that_is_not_there_is_named(dev: Path) -> None:
    (dev / "kfd").touch()
    with pytest.raises(MissingPrerequisite, match=r"device rocm: /dev/dri/renderD\* is not there; load"):
        gpu.require_driver(device("rocm"))
    (dev / "dri" / "renderD128").touch()
    gpu.require_driver(device("rocm"))


def test_a_run_without_a_container_needs_its_user_s_permission(
    dev: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (dev / "kfd").touch()
    (dev / "dri" / "renderD128").touch()
    gpu.require_access(device("rocm"))
    monkeypatch.setattr(os, "access", lambda path, mode: path.name != "kfd")
    with pytest.raises(
        MissingPrerequisite, match=r"device rocm: no permission to use .*/kfd; join its group"
    ):
        gpu.require_access(device("rocm"))


def test_a_container_gets_the_groups_that_own_the_files_here(dev: Path) -> None:
    (dev / "kfd").touch()
    for number, group in ((128, 4711), (129, 4712)):
        (dev / "dri" / f"renderD{number}").touch()
        if os.geteuid() == 0:
            os.chown(dev / "dri" / f"renderD{number}", -1, group)
    found = gpu.groups(device("rocm"))
    assert found["KFD_GROUP"] == str((dev / "kfd").stat().st_gid)
    assert found["RENDER_GROUP"] == str((dev / "dri" / "renderD128").stat().st_gid)


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
