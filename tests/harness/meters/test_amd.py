"""AMD's GPUs through an emulated AMD SMI: the truth is known, whatever the counter says."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest

from harness.energy.joules import Energy, doubts_of, run_energy
from harness.energy.series import Series, series
from harness.meters import amd
from harness.meters.base import MeterConfiguration, MeterLost
from harness.records import Channel, PowerModel, Provenance, Unavailable
from harness.sampling import reading
from harness.sampling.client import Sampler
from tests.emulators.amdsmi.stub import AVERAGE, RESOLUTION_UJ, AmdStub

pytestmark = pytest.mark.unhurried
SETTINGS = MeterConfiguration(Path("/nowhere"), PowerModel(idle_w=10, busy_cpu_w=5))
LOAD = ((0.3, 500.0), (0.2, 200.0))
STEADY = ((1.0, 300.0),)
WITHIN = 0.01
RANGE_J = (1 << 32) * RESOLUTION_UJ * 1e-6
Make = Callable[..., AmdStub]


@pytest.fixture
def stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """Emulated GPUs with these power cycles, in this process."""
    contexts = []
    monkeypatch.setattr(amd, "WATCH_S", 0.6)

    def make(*cycles: tuple[tuple[float, float], ...], **values: object) -> AmdStub:
        one = AmdStub(tmp_path, *cycles)
        for number in range(len(cycles)):
            one.set(number, **values)
        contexts.append(one.loaded())
        contexts[-1].__enter__()
        return one

    yield make
    for context in contexts:
        context.__exit__(None, None, None)


def found() -> amd.AmdMeter:
    meter = amd.find(SETTINGS)
    assert isinstance(meter, amd.AmdMeter), meter
    return meter


def unavailable() -> Unavailable:
    answer = amd.find(SETTINGS)
    assert isinstance(answer, Unavailable)
    assert (answer.meter, bool(answer.remedy)) == ("amdsmi", True)
    return answer


def addends(meter: amd.AmdMeter) -> dict[str, Channel]:
    return {one.name.removeprefix("amdsmi/"): one for one in meter.channels if one.boundary}


def recorded(meter: amd.AmdMeter, seconds: float, period_s: float = 0.01) -> list[Series]:
    read, rows, end = meter.open(None), {}, time.monotonic() + seconds
    while time.monotonic() < end:
        before_ns = time.monotonic_ns()
        readings = read()
        rows[(before_ns + time.monotonic_ns()) // 2] = readings
        time.sleep(period_s)
    frame = pd.DataFrame.from_dict(rows, orient="index")
    columns = {one: frame[one.name].dropna() for one in meter.channels if one.name in frame}
    return [series(one, column.index.to_numpy(), column.to_numpy()) for one, column in columns.items()]


def measured(gpus: AmdStub, meter: amd.AmdMeter, seconds: float = 2.5) -> tuple[Energy, float]:
    """The energy of nearly all of a recording, and the truth."""
    found = recorded(meter, seconds)
    begin_ns, end_ns = int(found[0].t_ns[5]), int(found[0].t_ns[-5])
    energy = run_energy(found, meter.channels, begin_ns, end_ns, doubts_of(found))
    truth_j = sum(gpus.true_energy_j(number, begin_ns, end_ns) for number in range(len(gpus.cycles)))
    return energy, truth_j


def test_the_energy_is_the_accumulator_times_its_resolution(stub: Make) -> None:
    gpus = stub(LOAD, LOAD)
    meter = found()
    energy, truth_j = measured(gpus, meter)
    assert set(addends(meter)) == {"gpu-0/energy", "gpu-1/energy"}
    assert energy.energy_j == pytest.approx(truth_j, rel=WITHIN)
    assert energy.provenance is Provenance.SIMULATED
    assert addends(meter)["gpu-0/energy"].resolution == pytest.approx(RESOLUTION_UJ * 1e-6)


def test_the_sampling_process_finds_them_and_reads_what_is_true(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("POWERCAP", "HWMON"):
        monkeypatch.setenv(f"JOULEMARK_{name}_ROOT", str(tmp_path / "nothing"))
    gpus = AmdStub(tmp_path, LOAD)
    with gpus.loaded():
        meter = found()
    for name, value in gpus.environment.items():
        monkeypatch.setenv(name, value)
    with Sampler(SETTINGS.power_model, 0.1) as sampler:
        sampler.begin(tmp_path / "samples.parquet")
        time.sleep(4.0)
        assert sampler.end().lost == ()
    recording = reading.read(tmp_path / "samples.parquet", meter.channels)
    begin_ns, end_ns = int(recording[0].t_ns[2]), int(recording[0].t_ns[-3])
    energy = run_energy(recording, meter.channels, begin_ns, end_ns, doubts_of(recording))
    assert energy.energy_j == pytest.approx(gpus.true_energy_j(0, begin_ns, end_ns), rel=WITHIN)


def test_a_counter_that_goes_round_is_unwrapped(stub: Make) -> None:
    """Of 32 bits: it starts 700 J before its end."""
    gpus = stub(LOAD, start=(1 << 32) - int(700 / (RESOLUTION_UJ * 1e-6)), bits=32)
    meter = found()
    energy, truth_j = measured(gpus, meter)
    (channel,) = addends(meter).values()
    assert channel.wraps_at == pytest.approx(RANGE_J)
    assert energy.energy_j == pytest.approx(truth_j, rel=WITHIN)
    low_j = meter.open(None)()["amdsmi/gpu-0/energy"]
    assert low_j < RANGE_J / 2, "it has not gone round: the test shows nothing"


def test_a_wide_counter_below_the_narrow_range_goes_past_it(stub: Make) -> None:
    gpus = stub(LOAD, start=(1 << 32) - int(700 / (RESOLUTION_UJ * 1e-6)), bits=64)
    meter = found()
    energy, truth_j = measured(gpus, meter)
    assert meter.open(None)()["amdsmi/gpu-0/energy"] > RANGE_J
    assert energy.energy_j == pytest.approx(truth_j, rel=WITHIN)


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ({"frozen_after_s": 0.0}, "it stood still for"),
        ({"start": 0, "frozen_after_s": 0.0}, "it stood still for"),
        ({"falls_every_s": 0.15, "falls_j": 100.0}, "which is no wrap"),
        ({"scale": 10.0}, "where the GPU's power was"),
        ({"scale": 0.05}, "where the GPU's power was"),
    ],
)
def test_a_counter_that_cannot_be_believed_is_refused_and_power_is_integrated(
    stub: Make, fault: dict[str, object], why: str
) -> None:
    gpus = stub(LOAD, **fault)
    meter = found()
    ((name, channel),) = addends(meter).items()
    assert name == "gpu-0/power_instant"
    assert why in channel.note and "provenance derived" in channel.note
    assert "amdsmi/gpu-0/energy" not in {one.name for one in meter.channels}
    energy, truth_j = measured(gpus, meter, 5.0)
    assert energy.energy_j == pytest.approx(truth_j, rel=WITHIN)


def test_integrated_power_of_a_real_gpu_is_derived(stub: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    gpus = stub(STEADY, frozen_after_s=0.0)
    monkeypatch.setattr("harness.meters.amd_library.simulated", lambda: False)
    energy, _ = measured(gpus, found(), 0.5)
    assert energy.provenance is Provenance.DERIVED


def test_averaged_power_stands_in_where_there_is_no_instantaneous_one(stub: Make) -> None:
    stub(STEADY, frozen_after_s=0.0, power=AVERAGE)
    assert set(addends(found())) == {"gpu-0/power_average"}


def test_a_second_die_without_a_sensor_is_not_summed(stub: Make) -> None:
    gpus = stub(STEADY, STEADY, chip="gfx90a")
    gpus.set(1, blind=True)
    meter = found()
    ((name, channel),) = addends(meter).items()
    assert name == "gpu-0/energy"
    assert "other die (gpu-1 without a sensor)" in channel.note
    assert "amdsmi/gpu-1/temperature" in {one.name for one in meter.channels}
    assert not {"amdsmi/gpu-1/energy", "amdsmi/gpu-1/power_instant"} & set(meter.open(None)())


@pytest.mark.parametrize("chip", ["gfx942", "gfx90a"])
def test_a_gpu_that_nobody_measures_is_no_part_of_a_sum(stub: Make, chip: str) -> None:
    """Alone, or beside a GPU of another chip, no other sensor covers it."""
    gpus = stub(STEADY, STEADY)
    gpus.set(1, blind=True, chip=chip)
    assert unavailable().reason.startswith("gpu-1 tells no power, and its energy counter is not believed")


def test_a_counter_that_freezes_later_leaves_a_run_without_energy(stub: Make) -> None:
    gpus = stub(STEADY)
    meter = found()
    gpus.set(0, frozen_after_s=(time.monotonic_ns() - gpus.start_ns) / 1e9)
    energy, _ = measured(gpus, meter)
    assert energy.energy_j is None
    assert "it stood still" in energy.reason


def test_a_counter_that_falls_later_leaves_a_run_without_energy(stub: Make) -> None:
    gpus = stub(STEADY)
    meter = found()
    gpus.set(
        0, start=1 << 33, falls_every_s=(time.monotonic_ns() - gpus.start_ns) / 1e9 + 1.0, falls_j=5000.0
    )
    energy, _ = measured(gpus, meter)
    assert energy.energy_j is None
    assert "gpu draws at most" in energy.reason


def test_what_a_gpu_does_not_offer_is_left_out(stub: Make) -> None:
    stub(STEADY, errors={"amdsmi_get_gpu_activity": 2, "amdsmi_get_temp_metric": 2})
    read = found().open(None)()
    assert not {name for name in read if name.endswith(("utilisation", "temperature"))}
    assert read["amdsmi/gpu-0/power_limit"] == 750.0
    assert read["amdsmi/gpu-0/memory_used"] == 1 << 30


def test_a_gpu_without_a_counter_is_integrated(stub: Make) -> None:
    stub(STEADY, errors={"amdsmi_get_energy_count": 2})
    ((name, channel),) = addends(found()).items()
    assert name == "gpu-0/power_instant"
    assert "not believed" not in channel.note


def test_a_gpu_that_stops_answering_ends_its_channels(stub: Make) -> None:
    gpus = stub(STEADY)
    read = found().open(None)
    gpus.set(0, errors={"amdsmi_get_power_info": 9})  # to be asked again
    assert "amdsmi/gpu-0/power_instant" not in read()
    gpus.set(0, errors={"amdsmi_get_power_info": 12})
    with pytest.raises(MeterLost, match="gpu-0 stopped answering"):
        read()


def test_a_part_of_a_gpu_is_refused(stub: Make) -> None:
    stub(STEADY, partition="CPX")
    assert unavailable().reason.startswith("gpu-0 is partitioned")


def test_a_machine_without_the_package_names_it_and_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "amdsmi", None)
    assert unavailable().reason == "the Python package amdsmi is not here"
    assert "/opt/rocm/share/amd_smi" in unavailable().remedy
    assert (amd.facts(), amd.states()) == ({}, [])


@pytest.mark.parametrize(
    "fault", ['KeyError("libamd_smi.so")', "OSError", "SystemExit(1)", 'ModuleNotFoundError(name="x")']
)
def test_a_package_without_its_library_is_named_and_says_nothing_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], fault: str
) -> None:
    (tmp_path / "amdsmi.py").write_text(f'print("Unable to find libamd_smi.so")\nraise {fault}\n')
    monkeypatch.delitem(sys.modules, "amdsmi", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    assert "libamd_smi.so" in unavailable().reason
    assert capsys.readouterr().out == ""


def test_a_driver_that_is_not_loaded_is_named(stub: Make) -> None:
    stub(STEADY).fail_to_start(34)
    assert unavailable().reason == "the amdgpu driver is not loaded"


def test_a_machine_without_a_gpu_says_so(stub: Make) -> None:
    stub()
    assert "sees no GPU" in unavailable().reason


def test_facts_and_states_tell_what_the_machine_is(stub: Make) -> None:
    stub(STEADY)
    (gpu,), (state,) = amd.facts()["gpus"], amd.states()
    assert (gpu["name"], gpu["architecture"], gpu["power_limit_w"]) == ("Emulated MI300X", "gfx942", 750.0)
    assert (state["sm_clock_mhz"], state["sm_clock_limit_mhz"]) == (1700, 2100)
    assert amd.facts()["driver"] == "6.14.14"


def test_who_else_computes_is_told(stub: Make) -> None:
    stub(STEADY, processes=[os.getpid(), os.getppid()])
    (other,) = amd.foreign_processes({os.getpid()}) or ()
    assert (other.gpu, other.pid) == ("gpu-0", os.getppid())
