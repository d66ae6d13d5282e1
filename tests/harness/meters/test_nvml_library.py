"""NVML is started, or its failure to start has a reason and a remedy; GPUs that it cannot measure are refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pynvml
import pytest

from harness import paths
from harness.meters import nvml
from tests.emulators.nvml.stub import DRIVER, IDLE, NvmlStub, forget_library
from tests.harness.meters.nvml_asked import MakeStub, found, unavailable

pytestmark = pytest.mark.unhurried


def test_a_process_of_its_own_loads_the_library_as_the_drivers_and_stays_small(tmp_path: Path) -> None:
    """As the sampling process does, which must stay below 80 MB."""
    code = (
        "import json, pathlib; from harness.meters import nvml; meter = nvml.find(None); meter.open(None)()\n"
        # Not ru_maxrss: it begins with the size of the process that started this one.
        "status = dict(line.split(':', 1) for line in pathlib.Path('/proc/self/status').read_text().splitlines())\n"
        "peak_kib = int(status['VmHWM'].split()[0])\n"
        "print(json.dumps([meter.channels[0].name, nvml.facts()['driver'], peak_kib]))"
    )
    gpu = NvmlStub(tmp_path, IDLE)
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | gpu.environment,
        capture_output=True,
        check=True,
        cwd=paths.ROOT,
    )
    name, driver, peak_kib = json.loads(done.stdout)
    assert (name, driver) == ("nvml/gpu-0/energy", DRIVER)
    assert peak_kib < 80_000


def test_without_a_library_there_is_no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_library(name: str) -> None:
        raise OSError(f"{name}: cannot open shared object file")

    forget_library(monkeypatch)
    monkeypatch.setattr(pynvml, "CDLL", no_library)
    assert "there is no NVIDIA driver" in unavailable().reason
    assert nvml.facts() == {}


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (pynvml.NVML_ERROR_DRIVER_NOT_LOADED, "kernel module is not loaded"),
        (pynvml.NVML_ERROR_LIB_RM_VERSION_MISMATCH, "of different versions"),
        (pynvml.NVML_ERROR_NO_PERMISSION, "refuses this user"),
        (pynvml.NVML_ERROR_GPU_IS_LOST, "fallen off the bus"),
        (pynvml.NVML_ERROR_RESET_REQUIRED, "needs a reset"),
        (pynvml.NVML_ERROR_UNKNOWN, "NVML does not start: Unknown Error"),
        (4321, "NVML does not start: emulated error 4321"),
    ],
)
def test_each_failure_to_start_has_its_reason_and_remedy(stub: MakeStub, code: int, reason: str) -> None:
    stub(IDLE, **{"error.nvmlInit": code})
    assert reason in unavailable().reason
    assert nvml.facts() == {}


def test_a_driver_without_gpus_says_so(stub: MakeStub) -> None:
    stub()
    assert "sees no GPU" in unavailable().reason


def test_a_gpu_that_is_lost_at_start_up_makes_the_meter_unavailable(stub: MakeStub) -> None:
    stub(IDLE, IDLE, **{"gpu.1.error.nvmlDeviceGetHandleByIndex_v2": pynvml.NVML_ERROR_GPU_IS_LOST})
    assert "fallen off the bus" in unavailable().reason


def test_a_library_that_lacks_a_function_is_told_from_one_that_fails(stub: MakeStub) -> None:
    stub(IDLE, **{"error.nvmlDeviceGetCount_v2": pynvml.NVML_ERROR_FUNCTION_NOT_FOUND})
    assert "lacks a function" in unavailable().reason


def test_mig_is_refused(stub: MakeStub) -> None:
    stub(IDLE, IDLE, **{"gpu.1.mig": 1})
    assert unavailable().reason.startswith("gpu-1 is in MIG mode")


@pytest.mark.parametrize("mode", [2, 3, 4])
def test_a_virtual_gpu_is_refused(stub: MakeStub, mode: int) -> None:
    stub(IDLE, virtualization=mode)
    assert unavailable().reason.startswith("gpu-0 is virtual (vGPU)")


def test_a_gpu_passed_through_to_a_virtual_machine_is_measured(stub: MakeStub) -> None:
    stub(IDLE, update_s=0.02, virtualization=1)
    assert found()
    assert nvml.facts()["gpus"][0]["virtualization"] == "passthrough"
