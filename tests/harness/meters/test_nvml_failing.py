"""A GPU that fails in the middle of a run is lost, never 0; a passing failure costs one reading."""

from __future__ import annotations

import pynvml
import pytest

from harness.meters.base import MeterLost
from tests.emulators.nvml.stub import IDLE
from tests.harness.meters.nvml_asked import MakeStub, found

pytestmark = pytest.mark.unhurried


@pytest.mark.parametrize(
    "code",
    [
        pynvml.NVML_ERROR_GPU_IS_LOST,
        pynvml.NVML_ERROR_RESET_REQUIRED,
        pynvml.NVML_ERROR_UNINITIALIZED,
        pynvml.NVML_ERROR_LIB_RM_VERSION_MISMATCH,
        pynvml.NVML_ERROR_UNKNOWN,
    ],
)
@pytest.mark.parametrize(
    "function", ["nvmlDeviceGetTotalEnergyConsumption", "nvmlDeviceGetClockInfo", "field.185"]
)
def test_a_gpu_that_fails_mid_run_is_lost_not_zero(stub: MakeStub, function: str, code: int) -> None:
    gpu = stub(IDLE, IDLE, update_s=0.02)
    read = found().open(None)
    assert read()
    gpu.set({f"gpu.1.error.{function}": code})
    with pytest.raises(MeterLost, match="gpu-1 stopped answering"):
        read()


def test_a_counter_that_goes_back_is_a_driver_loaded_anew(stub: MakeStub) -> None:
    gpu = stub(IDLE, update_s=0.02, offset_j=1000)
    read = found().open(None)
    assert read()
    gpu.set(offset_j=0)
    with pytest.raises(MeterLost, match="went back"):
        read()


@pytest.mark.parametrize(
    "code", [pynvml.NVML_ERROR_NO_DATA, pynvml.NVML_ERROR_TIMEOUT, pynvml.NVML_ERROR_NOT_READY]
)
def test_a_passing_failure_leaves_out_that_reading_alone(stub: MakeStub, code: int) -> None:
    gpu = stub(IDLE, update_s=0.02)
    read = found().open(None)
    everything = set(read())
    gpu.set({"error.nvmlDeviceGetClockInfo": code, "error.field.186": code})
    assert everything - set(read()) == {
        f"nvml/gpu-0/{name}" for name in ("sm_clock", "memory_clock", "power_instant")
    }
    gpu.set({"error.nvmlDeviceGetClockInfo": 0, "error.field.186": 0})
    assert set(read()) == everything
