"""The energy of NVIDIA GPUs through the real nvidia-ml-py on an emulated library."""

from __future__ import annotations

import time

import pynvml
import pytest

from harness.meters import nvml
from harness.records import ChannelKind, Provenance
from tests.emulators.nvml.stub import BURSTS, DRIVER, IDLE, Cycle
from tests.harness.meters.nvml_asked import LOAD, MakeStub, channels, found, sampled, unavailable

pytestmark = pytest.mark.unhurried


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
    periods_s = [one.seconds for one in meter.updates.values() if one]
    assert periods_s == [pytest.approx(0.05, rel=0.2), pytest.approx(0.2, rel=0.2)]
    assert meter.period_s == periods_s[0]
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
