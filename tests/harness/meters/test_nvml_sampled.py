"""GPUs through the real sampling process: energies of random phases beside the truth, and what they claim."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pynvml
import pytest

from harness.energy.joules import Energy, run_energy
from harness.energy.series import Series
from harness.meters import nvml
from harness.meters.base import MeterConfiguration
from harness.records import Channel, PowerModel, Provenance
from harness.sampling import reading
from harness.sampling.client import Sampler
from tests.emulators.nvml.stub import BURSTS, IDLE, NvmlStub

pytestmark = pytest.mark.unhurried
MODEL = PowerModel(idle_w=10, busy_cpu_w=5)
SETTINGS = MeterConfiguration(Path("/nonexistent"), MODEL)
WINDOWS = 200
IN_STEP = {30.0: 0.006, 5.0: 0.033}  # window in s -> the largest error, as a share
RECORDED_S = 65.0
# All windows of one recording overlap, and share how its readings and updates fall together: 0.915 has been seen.
COVERED = 0.85


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A machine without any other meter of energy."""
    for name in ("POWERCAP", "HWMON"):
        monkeypatch.setenv(f"JOULEMARK_{name}_ROOT", str(tmp_path / "nothing"))
    yield tmp_path


def recorded(gpus: NvmlStub, folder: Path, seconds: float, patch: pytest.MonkeyPatch) -> list[Series]:
    with gpus.loaded():
        channels = found_channels()
    for name, value in gpus.environment.items():
        patch.setenv(name, value)
    with Sampler(MODEL, 0.1) as sampler:
        sampler.begin(folder / "samples.parquet")
        time.sleep(seconds)
        recording = sampler.end()
    assert recording.lost == ()
    return reading.read(folder / "samples.parquet", channels)


def found_channels() -> tuple[Channel, ...]:
    meter = nvml.find(SETTINGS)
    assert isinstance(meter, nvml.NvmlMeter)
    return meter.channels


def energies(series: list[Series], window_s: float, count: int) -> Iterator[tuple[int, int, Energy]]:
    """Random windows inside the recording."""
    channels = [one.channel for one in series]
    first_ns, last_ns = int(series[0].t_ns[0]), int(series[0].t_ns[-1])
    room_ns = last_ns - first_ns - int((window_s + 0.4) * 1e9)
    for offset_ns in np.random.default_rng(3).integers(0, room_ns, count):
        begin_ns = int(first_ns + offset_ns)
        end_ns = begin_ns + int(window_s * 1e9)
        yield begin_ns, end_ns, run_energy(series, channels, begin_ns, end_ns)


def test_phases_are_right_and_their_uncertainty_covers_the_truth(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two GPUs that burst in phase, counters that update every 100 ms, read at 10 Hz.

    How far off that may be, however reading and updating fall together, is what
    tests/harness/energy/test_staleness.py tries.
    """
    gpus = NvmlStub(machine, BURSTS, BURSTS)
    gpus.set(update_s=0.1)
    series = recorded(gpus, machine, RECORDED_S, monkeypatch)
    for window_s, allowed in IN_STEP.items():
        errors, covered, widths = [], [], []
        for begin_ns, end_ns, energy in energies(series, window_s, WINDOWS):
            true_j = sum(gpus.true_energy_j(number, begin_ns, end_ns) for number in range(2))
            assert energy.energy_j is not None
            assert energy.uncertainty_j is not None
            error_j = abs(energy.energy_j - true_j)
            errors.append(error_j / true_j)
            covered.append(error_j <= energy.uncertainty_j)
            widths.append(energy.uncertainty_j / true_j)
        print(f"{window_s:g} s: largest error {100 * max(errors):.2f} %, covered {100 * np.mean(covered):.1f} %, "
              f"median half-width {100 * np.median(widths):.2f} %")  # fmt: skip
        assert max(errors) <= allowed
        assert np.mean(covered) >= COVERED
        assert np.median(widths) <= 1.5 * allowed


def test_without_a_counter_the_energy_is_the_integral_of_the_power(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpus = NvmlStub(machine, IDLE, ((1.0, 300.0), (1.0, 200.0)))
    gpus.set({"error.nvmlDeviceGetTotalEnergyConsumption": pynvml.NVML_ERROR_NOT_SUPPORTED})
    series = recorded(gpus, machine, 8.0, monkeypatch)
    ((begin_ns, end_ns, energy),) = energies(series, 6.0, 1)
    true_j = sum(gpus.true_energy_j(number, begin_ns, end_ns) for number in range(2))
    assert energy.energy_j == pytest.approx(true_j, rel=0.03)
    assert energy.uncertainty_j is not None
    assert abs(energy.energy_j - true_j) <= energy.uncertainty_j
    assert energy.provenance is Provenance.SIMULATED
