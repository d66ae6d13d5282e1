"""What is read of a GPU beside its counter, in which unit, and what is left out where a GPU lacks it."""

from __future__ import annotations

import time

import pynvml
import pytest

from tests.emulators.nvml.stub import BURSTS, IDLE
from tests.harness.meters.nvml_asked import LOAD, MakeStub, channels, found, sampled

pytestmark = pytest.mark.unhurried


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


def test_a_scope_that_answers_0_w_is_not_offered(stub: MakeStub) -> None:
    gpu = stub(IDLE, update_s=0.02, memory_w=0)
    meter = found()
    assert "nvml/gpu-0/power_instant_memory" not in {one.name for one in meter.channels}
    gpu.set(memory_w=30)  # a name that is no channel must not reach the samples
    assert set(meter.open(None)()) == {one.name for one in meter.channels}


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
