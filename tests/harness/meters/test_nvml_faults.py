"""A GPU's counter that stops or jumps under the real sampling process makes the run invalid; a sound one does not."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from harness import checks
from harness.energy.joules import doubts_of, run_energy
from harness.energy.series import Series
from harness.records import Finding
from harness.sampling import reading
from harness.sampling.client import Sampler
from tests.emulators.nvml.stub import BURSTS, NvmlStub
from tests.harness.meters.test_nvml_sampled import MODEL, found_channels

pytestmark = pytest.mark.unhurried
STEADY = ((1.0, 250.0),)


def stopped(gpus: NvmlStub) -> None:
    now_s = (time.monotonic_ns() - gpus.start_ns) / 1e9
    gpus.set({"gpu.1.frozen_s": now_s})


def jumped(gpus: NvmlStub) -> None:
    gpus.set({"gpu.1.offset_j": 5000.0})


def sound(gpus: NvmlStub) -> None:
    """Nothing happens."""


def recorded(
    folder: Path, patch: pytest.MonkeyPatch, meanwhile: Callable[[NvmlStub], None]
) -> tuple[list[Series], tuple[int, int]]:
    for name in ("POWERCAP", "HWMON"):
        patch.setenv(f"JOULEMARK_{name}_ROOT", str(folder / "nothing"))
    gpus = NvmlStub(folder, BURSTS, STEADY)
    gpus.set(update_s=0.1)
    with gpus.loaded():
        channels = found_channels()
    for name, value in gpus.environment.items():
        patch.setenv(name, value)
    (folder / "run").mkdir()
    with Sampler(MODEL, 0.1) as sampler:
        sampler.begin(folder / "run" / "samples.parquet")
        begin_ns = time.monotonic_ns()
        time.sleep(1.5)
        meanwhile(gpus)
        time.sleep(2.5)
        end_ns = time.monotonic_ns()
        sampler.sample()
        sampler.end()
    return reading.read(folder / "run" / "samples.parquet", channels), (begin_ns, end_ns)


@pytest.mark.parametrize(
    ("meanwhile", "code"), [(stopped, "counter-stood-still"), (jumped, "counter-impossible"), (sound, None)]
)
def test_one_of_two_gpus_whose_counter_breaks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[NvmlStub], None], code: str | None
) -> None:
    series, window = recorded(tmp_path, monkeypatch, meanwhile)
    found: list[Finding] = [
        *checks.counter_impossible(series, *window), *checks.counter_stood_still(series, *window)
    ]  # fmt: skip
    assert [(one.code, one.severity) for one in found] == ([(code, "invalid")] if code else [])
    assert all("nvml/gpu-1/energy" in one.message for one in found)
    energy = run_energy(series, [one.channel for one in series], *window, doubts_of(series))
    assert (energy.energy_j is None) is bool(code)
