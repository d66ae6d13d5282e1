"""Which device a run gets: a GPU where one can be had and the framework has a build for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.devices import Device
from harness.environments import gpu
from harness.environments.choose import choose
from harness.environments.frameworks import frameworks
from harness.errors import MissingPrerequisite
from harness.planning.applicability import divide
from harness.records import Treatment
from tests.emulators.nvml.stub import IDLE, NvmlStub


def no_driver(device: Device) -> None:
    raise MissingPrerequisite("device cuda: there is no NVIDIA driver")


def test_without_a_gpu_the_cpu_is_used_and_a_gpu_that_is_asked_for_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gpu, "require_driver", no_driver)
    assert choose("virtualenv", "auto").device == choose("virtualenv", "cpu").device == "cpu"
    with pytest.raises(MissingPrerequisite, match="no NVIDIA driver"):
        choose("virtualenv", "cuda")


def test_where_there_is_a_gpu_each_framework_gets_it_that_has_a_build_for_it(tmp_path: Path) -> None:
    with NvmlStub(tmp_path, IDLE).loaded():
        choice = choose("virtualenv", "auto")
        assert choose("virtualenv", "cpu").device == "cpu"
        assert choose("interpreter=/usr/bin/python3", "auto").device == "cpu"  # whatever the user's own holds
    assert choice.device == "cuda"
    devices = {name: choice.device_of(one, one.default_version) for name, one in frameworks().items()}
    assert devices.pop("sklearn") == "cpu"
    assert set(devices.values()) == {"cuda"}


def test_a_device_that_no_framework_has_an_image_for_is_never_chosen_and_is_inapplicable_where_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        gpu, "require_driver", lambda device: None if device.name == "rocm" else no_driver(device)
    )
    monkeypatch.setattr(gpu, "require_access", lambda device: None)
    assert choose("virtualenv", "auto").device == "cpu"
    named = choose("virtualenv", "rocm")
    torch = frameworks()["torch"]
    assert named.device_of(torch, torch.default_version) == "rocm"
    treatment = Treatment(
        workload="mnist_cnn",
        framework="torch",
        version=torch.default_version,
        stage="train",
        dataset="digits",
        device="rocm",
    )
    (skipped,) = divide([treatment], named)[1]
    assert (
        skipped.reason == f"PyTorch {torch.default_version} has no image for rocm (AMD GPU); it has cpu, cuda"
    )
    assert skipped.inherent


def no_toolkit(info: object, device: Device) -> None:
    raise MissingPrerequisite("install nvidia-container-toolkit")


@pytest.mark.engine
def test_an_engine_without_the_toolkit_stays_on_the_cpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu, "require_toolkit", no_toolkit)
    with NvmlStub(tmp_path, IDLE).loaded():
        assert choose("docker", "auto").device == "cpu"
        with pytest.raises(MissingPrerequisite, match="nvidia-container-toolkit"):
            choose("docker", "cuda")
