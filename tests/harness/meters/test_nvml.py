"""NVIDIA GPUs through the real nvidia-ml-py on an emulated library."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pynvml
import pytest

from harness import paths
from harness.meters import nvml
from harness.meters.base import MeterLost, MeterSettings, Readings
from harness.records import Channel, ChannelKind, PowerModel, Provenance, Unavailable
from tests.emulators.nvml.stub import BURSTS, DRIVER, IDLE, Cycle, NvmlStub, forget_library

pytestmark = pytest.mark.unhurried

SETTINGS = MeterSettings(Path("/nowhere"), PowerModel(idle_w=10, busy_cpu_w=5))
LOAD = ((1.0, 300.0),)
MakeStub = Callable[..., NvmlStub]


@pytest.fixture
def stub(tmp_path: Path) -> Iterator[MakeStub]:
    """Emulated GPUs with these power cycles, in this process."""
    contexts = []

    def make(*cycles: Cycle, **values: object) -> NvmlStub:
        one = NvmlStub(tmp_path, *cycles)
        one.set(values)
        contexts.append(one.loaded())
        contexts[-1].__enter__()
        return one

    yield make
    for context in contexts:
        context.__exit__(None, None, None)


def found() -> nvml.NvmlMeter:
    meter = nvml.find(SETTINGS)
    assert isinstance(meter, nvml.NvmlMeter)
    return meter


def unavailable() -> Unavailable:
    answer = nvml.find(SETTINGS)
    assert isinstance(answer, Unavailable)
    assert answer.meter == "nvml"
    assert answer.remedy
    return answer


def channels() -> dict[str, Channel]:
    return {channel.name.removeprefix("nvml/"): channel for channel in found().channels}


def sampled(seconds: float, period_s: float = 0.02) -> pd.DataFrame:
    """Readings of every channel over a while, by CLOCK_MONOTONIC ns."""
    read, rows, end = found().open(None), {}, time.monotonic() + seconds
    while time.monotonic() < end:
        readings: Readings = read()
        rows[time.monotonic_ns()] = readings
        time.sleep(period_s)
    return pd.DataFrame.from_dict(rows, orient="index").rename(
        columns=lambda name: name.removeprefix("nvml/")
    )


@pytest.mark.parametrize("cycle", [LOAD, BURSTS])
def test_the_counters_growth_is_the_true_energy(stub: MakeStub, cycle: Cycle) -> None:
    gpu = stub(cycle, update_s=0.1, offset_j=1_000_000)
    energy_j = sampled(3.0)["gpu-0/energy"]
    begin_ns, end_ns = energy_j.index[0], energy_j.index[-1]
    true_j = gpu.true_energy_j(0, begin_ns, end_ns)
    # Each border shows what was true up to one update ago.
    border_j = 0.1 * max(watts for _, watts in cycle)
    assert energy_j.iloc[-1] - energy_j.iloc[0] == pytest.approx(true_j, abs=border_j)
    assert energy_j.iloc[0] > 1_000_000


def test_at_its_own_updates_the_counter_is_exact(stub: MakeStub) -> None:
    """Between two moments at which the counter moved, nothing of a burst is missed."""
    gpu = stub(BURSTS, update_s=0.05)
    energy_j = sampled(3.0, period_s=0.001)["gpu-0/energy"]
    moved = energy_j[energy_j.diff() > 0]
    true_j = gpu.true_energy_j(0, moved.index[0], moved.index[-1])
    assert moved.iloc[-1] - moved.iloc[0] == pytest.approx(true_j, rel=0.01)


def test_the_instantaneous_power_follows_bursts_that_the_average_hides(stub: MakeStub) -> None:
    stub(BURSTS, update_s=0.02, window_s=1.0)
    samples = sampled(2.0, period_s=0.005)
    mean_w = sum(seconds * watts for seconds, watts in BURSTS) / sum(seconds for seconds, _ in BURSTS)
    assert set(samples["gpu-0/power_instant"]) == {500.0, 80.0}
    assert samples["gpu-0/power_average"].between(mean_w - 65, mean_w + 65).all()
    assert samples["gpu-0/power_usage"].mean() == pytest.approx(
        samples["gpu-0/power_average"].mean(), rel=0.01
    )


def test_the_average_lags_behind_a_step_by_its_window(stub: MakeStub) -> None:
    stub(((2.5, 100.0), (60.0, 400.0)), update_s=0.02, window_s=1.0)
    time.sleep(1.5)  # with the start-up of the meter the step falls into the samples
    samples = sampled(2.0, period_s=0.005)
    instant_w, average_w = samples["gpu-0/power_instant"], samples["gpu-0/power_average"]
    stepped_ns, settled_ns = (instant_w == 400).idxmax(), (average_w > 399).idxmax()
    assert (settled_ns - stepped_ns) / 1e9 == pytest.approx(1.0, abs=0.1)


def test_power_usage_is_named_for_what_the_chip_makes_of_it(stub: MakeStub) -> None:
    gpu = stub(IDLE, IDLE, IDLE, update_s=0.02)
    gpu.set({"gpu.0.capability": 9.0, "gpu.1.capability": 8.0, "gpu.2.capability": 7.0})
    notes = {name: one.note for name, one in channels().items() if name.endswith("power_usage")}
    assert notes["gpu-0/power_usage"] == "nvmlDeviceGetPowerUsage; average over 1 s"
    assert notes["gpu-1/power_usage"] == "nvmlDeviceGetPowerUsage; instantaneous"
    assert notes["gpu-2/power_usage"] == "nvmlDeviceGetPowerUsage; instantaneous"


@pytest.mark.parametrize("update_s", [0.02, 0.1, 0.25])
def test_the_counters_update_period_is_measured(stub: MakeStub, update_s: float) -> None:
    stub(LOAD, update_s=update_s)
    meter = found()
    energy = meter.channels[0]
    assert energy.update_s == pytest.approx(update_s, rel=0.2)
    assert meter.period_s == energy.update_s


def test_each_gpu_has_its_own_channels_and_period(stub: MakeStub) -> None:
    gpus = stub(IDLE, LOAD, offset_j=50)
    gpus.set({"gpu.0.update_s": 0.05, "gpu.1.update_s": 0.2, "gpu.1.temperature": 71})
    meter = found()
    assert meter.update_s["gpu-0"] == pytest.approx(0.05, rel=0.2)
    assert meter.update_s["gpu-1"] == pytest.approx(0.2, rel=0.2)
    assert meter.period_s == meter.update_s["gpu-0"]
    read = meter.open(None)
    began_ns, before = time.monotonic_ns(), read()
    time.sleep(2.0)
    ended_ns, after = time.monotonic_ns(), read()
    assert after["nvml/gpu-1/temperature"] == 71
    for number, update_s, power_w in ((0, 0.05, 100), (1, 0.2, 300)):
        name = f"nvml/gpu-{number}/energy"
        true_j = gpus.true_energy_j(number, began_ns, ended_ns)
        assert after[name] - before[name] == pytest.approx(true_j, abs=(update_s + 0.02) * power_w)


def test_the_counter_alone_is_an_addend_of_the_runs_energy(stub: MakeStub) -> None:
    stub(LOAD, LOAD, update_s=0.02)
    found_channels = channels()
    assert {name for name, one in found_channels.items() if one.boundary} == {"gpu-0/energy", "gpu-1/energy"}
    energy = found_channels["gpu-0/energy"]
    assert (energy.unit, energy.kind, energy.domain) == ("J", ChannelKind.COUNTER, "gpu")
    assert energy.resolution == 0.001
    counters = {name for name, one in found_channels.items() if one.kind is ChannelKind.COUNTER}
    assert counters == {"gpu-0/energy", "gpu-1/energy"}


def test_every_gauge_is_read_in_its_unit(stub: MakeStub) -> None:
    stub(
        LOAD,
        update_s=0.02,
        reasons=0x44,
        processes="11,12",
        memory_used=5e9,
        power_limit_w=650,
        sm_clock=1980,
    )
    readings = {name.removeprefix("nvml/gpu-0/"): value for name, value in found().open(None)().items()}
    assert readings.pop("energy") > 0
    assert readings == {
        "power_instant": 300.0,
        "power_average": pytest.approx(300.0),
        "power_usage": pytest.approx(300.0),
        "sm_clock": 1980.0,
        "memory_clock": 1500.0,
        "gpu_utilisation": 90.0,
        "memory_utilisation": 40.0,
        "temperature": 55.0,
        "memory_used": 5e9,
        "clocks_event_reasons": pynvml.nvmlClocksEventReasonSwPowerCap
        | pynvml.nvmlClocksEventReasonHwThermalSlowdown,
        "power_limit": 650.0,
        "compute_processes": 2.0,
    }


def test_what_an_emulated_library_tells_is_labelled_simulated(stub: MakeStub) -> None:
    stub(IDLE, update_s=0.02)
    assert {one.provenance for one in channels().values()} == {Provenance.SIMULATED}
    assert nvml.facts()["simulated"] is True
    assert nvml.facts()["driver"] == DRIVER


def test_a_real_drivers_version_is_labelled_measured(stub: MakeStub) -> None:
    stub(IDLE, update_s=0.02, driver="580.65.06")
    assert {one.provenance for one in channels().values()} == {Provenance.MEASURED}


def test_a_module_with_a_cpu_is_labelled_as_such(stub: MakeStub) -> None:
    stub(IDLE, update_s=0.02, c2c=1, module_w=250, memory_w=30)
    domains = {name.removeprefix("gpu-0/"): one.domain for name, one in channels().items()}
    assert domains["energy"] == domains["power_usage"] == domains["power_instant_module"] == "gpu_module"
    assert domains["power_instant"] == "gpu"
    assert domains["power_average_memory"] == "gpu_memory"
    readings = found().open(None)()
    assert readings["nvml/gpu-0/power_instant_module"] == 350.0
    assert readings["nvml/gpu-0/power_instant_memory"] == 30.0
    assert nvml.facts()["gpus"][0]["scope"] == "module"


def test_a_scope_that_answers_0_w_is_not_offered(stub: MakeStub) -> None:
    gpu = stub(IDLE, update_s=0.02, memory_w=0)
    meter = found()
    assert "nvml/gpu-0/power_instant_memory" not in {one.name for one in meter.channels}
    gpu.set(memory_w=30)  # a name that is no channel must not reach the samples
    assert set(meter.open(None)()) == {one.name for one in meter.channels}


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


# --- what a GPU lacks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "missing"),
    [
        ("nvmlDeviceGetUtilizationRates", {"gpu_utilisation", "memory_utilisation"}),
        ("nvmlDeviceGetTemperatureV", {"temperature"}),
        ("nvmlDeviceGetCurrentClocksEventReasons", {"clocks_event_reasons"}),
        ("nvmlDeviceGetComputeRunningProcesses_v3", {"compute_processes"}),
        ("nvmlDeviceGetFieldValues", {"power_instant", "power_average"}),
        ("field.186", {"power_instant"}),
    ],
)
@pytest.mark.parametrize("code", [pynvml.NVML_ERROR_NOT_SUPPORTED, pynvml.NVML_ERROR_FUNCTION_NOT_FOUND])
def test_a_gauge_that_is_not_supported_is_left_out(
    stub: MakeStub, function: str, missing: set[str], code: int
) -> None:
    gpu = stub(IDLE, update_s=0.02)
    everything = set(channels())
    gpu.set({f"error.{function}": code})
    meter = found()
    assert everything - set(channels()) == {f"gpu-0/{name}" for name in missing}
    assert set(meter.open(None)()) == {one.name for one in meter.channels}


def test_a_gauge_that_fails_oddly_does_not_take_the_counter_with_it(stub: MakeStub) -> None:
    stub(IDLE, **{"update_s": 0.02, "error.nvmlDeviceGetUtilizationRates": pynvml.NVML_ERROR_UNKNOWN})
    assert "gpu-0/energy" in channels()
    assert "gpu-0/gpu_utilisation" not in channels()


def test_without_a_counter_the_power_is_the_addend_and_says_why(stub: MakeStub) -> None:
    stub(
        IDLE,
        **{"update_s": 0.02, "error.nvmlDeviceGetTotalEnergyConsumption": pynvml.NVML_ERROR_NOT_SUPPORTED},
    )
    found_channels = channels()
    assert "gpu-0/energy" not in found_channels
    assert [name for name, one in found_channels.items() if one.boundary] == ["gpu-0/power_instant"]
    assert "provenance derived" in found_channels["gpu-0/power_instant"].note
    assert found().period_s is None
    assert nvml.facts()["gpus"][0]["energy_counter"] is False


def test_a_counter_that_stands_still_is_no_addend(stub: MakeStub) -> None:
    """It would show a working GPU as 0 J."""
    stub(LOAD, update_s=3600)
    energy = channels()["gpu-0/energy"]
    assert not energy.boundary
    assert energy.update_s is None
    assert "did not move" in energy.note
    assert channels()["gpu-0/power_instant"].boundary


def test_a_counter_that_fails_oddly_makes_the_meter_unavailable(stub: MakeStub) -> None:
    stub(IDLE, **{"error.nvmlDeviceGetTotalEnergyConsumption": pynvml.NVML_ERROR_UNKNOWN})
    assert unavailable().reason == "a GPU cannot be read: Unknown Error"


# --- no meter at all ----------------------------------------------------------------------------------------


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


# --- mid-run ------------------------------------------------------------------------------------------------


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


# --- the machine and its users ------------------------------------------------------------------------------


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
