"""What the machine's description says of its GPUs, and who else computes on them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pynvml
import pytest

from harness.meters import nvml
from harness.meters.base import MeterLost
from tests.emulators.nvml.stub import DRIVER, IDLE
from tests.harness.meters.nvml_asked import MakeStub, found

pytestmark = pytest.mark.unhurried


def test_facts_describe_driver_and_gpus(stub: MakeStub) -> None:
    stub(IDLE, IDLE, update_s=0.02, **{"error.nvmlDeviceGetEccMode": pynvml.NVML_ERROR_NOT_SUPPORTED})
    facts = nvml.facts()
    assert (facts["driver"], facts["cuda"], len(facts["gpus"])) == (DRIVER, "13.0", 2)
    assert facts["gpus"][1] == {
        "index": 1,
        "name": "Emulated H100",
        "uuid": "GPU-emulated-1",
        "architecture": "hopper",
        "compute_capability": "9.0",
        "persistence_mode": True,
        "ecc": None,
        "mig": False,
        "virtualization": "none",
        "power_limit_w": 700.0,
        "scope": "gpu",
        "energy_counter": True,
        "power_usage": "average over 1 s",
        "duty_cycle": "samples 25 ms of every 100 ms (arXiv 2312.02741)",
    }


def test_the_state_before_a_run_holds_clocks_limit_and_persistence(stub: MakeStub) -> None:
    gpu = stub(IDLE, update_s=0.02, **{"error.nvmlDeviceGetMaxClockInfo": pynvml.NVML_ERROR_NOT_SUPPORTED})
    (state,) = nvml.states()
    assert (state["uuid"], state["persistence_mode"], state["power_limit_w"]) == (
        "GPU-emulated-0",
        True,
        700.0,
    )
    assert state["sm_clock_mhz"] > 0 and state["memory_clock_mhz"] > 0
    assert state["sm_clock_limit_mhz"] is None
    gpu.set({"error.nvmlDeviceGetClockInfo": pynvml.NVML_ERROR_NOT_SUPPORTED})
    assert nvml.states()[0]["sm_clock_mhz"] is None


def test_an_unstudied_chip_has_no_duty_cycle(stub: MakeStub) -> None:
    stub(IDLE, capability=12.0)
    assert nvml.facts()["gpus"][0]["duty_cycle"] == "not established for this chip"


def test_a_foreign_process_is_told_from_our_own(stub: MakeStub) -> None:
    own = os.getpid()
    gpu = stub(IDLE, IDLE, update_s=0.02, **{"gpu.0.processes": str(own)})
    read = found().open(None)
    assert nvml.foreign_processes({own}) == ()
    gpu.set({"gpu.1.processes": f"{own},{os.getppid()}"})
    foreign = nvml.foreign_processes({own})
    assert foreign is not None
    assert [(one.gpu, one.pid, one.memory_bytes) for one in foreign] == [("gpu-1", os.getppid(), 1 << 30)]
    assert foreign[0].name == Path(f"/proc/{os.getppid()}/comm").read_text().strip()
    assert read()["nvml/gpu-1/compute_processes"] == 2


def test_a_foreign_process_commands_no_terminal_by_its_name(stub: MakeStub) -> None:
    rename = (
        r"import ctypes; ctypes.CDLL(None).prctl(15, b'\x1b[2J\xff', 0, 0, 0); print(flush=True); input()"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", rename], **pipes) as other:
        assert other.stdout is not None
        other.stdout.readline()
        stub(IDLE, processes=str(other.pid))
        foreign = nvml.foreign_processes(())
    assert foreign and foreign[0].name == "\\x1b[2J\ufffd"


def test_processes_that_the_driver_hides_are_unknown_not_absent(stub: MakeStub) -> None:
    gpu = stub(IDLE, **{"error.nvmlDeviceGetComputeRunningProcesses_v3": pynvml.NVML_ERROR_NOT_SUPPORTED})
    assert nvml.foreign_processes(()) is None
    gpu.set({"error.nvmlDeviceGetComputeRunningProcesses_v3": pynvml.NVML_ERROR_GPU_IS_LOST})
    with pytest.raises(MeterLost, match="GPU is lost"):
        nvml.foreign_processes(())


def test_a_process_of_another_namespace_has_no_name(stub: MakeStub) -> None:
    stub(IDLE, processes="4194303")
    foreign = nvml.foreign_processes(())
    assert foreign and "cannot be seen" in foreign[0].name
