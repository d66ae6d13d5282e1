"""What a machine offers and lacks, over all meters together."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import meters
from harness.errors import UsageError
from harness.meters import hwmon, rapl
from harness.meters.base import MeterConfiguration
from harness.records import PowerModel
from tests.emulators.powercap import EmulatedZone, PowercapTree
from tests.emulators.waveforms import constant

pytestmark = pytest.mark.unhurried

POWER_MODEL = PowerModel(idle_w=10, busy_cpu_w=5)


def test_the_estimate_stands_in_only_where_nothing_measures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meters, "FINDERS", (rapl.find,))  # not this machine's own GPUs and counters
    with PowercapTree(tmp_path / "powercap", [EmulatedZone("intel-rapl:0", "package-0", constant(60.0))]):
        measured = meters.find_all(MeterConfiguration(tmp_path / "powercap", POWER_MODEL))
    assert [channel.name for channel in measured.channels if channel.boundary] == ["rapl/package-0"]
    substitute = meters.find_all(MeterConfiguration(tmp_path / "nothing", POWER_MODEL))
    assert [channel.name for channel in substitute.channels if channel.boundary] == ["estimate/cpu"]


def test_nothing_stands_in_for_a_boundary_that_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meters, "FINDERS", (rapl.find,))
    settings = MeterConfiguration(tmp_path / "nothing", POWER_MODEL, boundary="wall")
    assert meters.offered(settings).channels == ()
    with pytest.raises(UsageError, match="nothing that is wall"):
        meters.find_all(settings)


def test_a_sensor_that_is_left_out_is_told_beside_the_missing_meters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meters, "FINDERS", (hwmon.find,))
    chip = tmp_path / "hwmon0"
    chip.mkdir()
    for name, text in {"name": "ina238", "power1_input": "12500000", "power2_input": ""}.items():
        (chip / name).write_text(text)
    found = meters.find_all(MeterConfiguration(tmp_path / "nothing", POWER_MODEL, hwmon_root=tmp_path))
    assert "hwmon/ina238/power1_input" in {channel.name for channel in found.channels}
    (lacking,) = found.unavailable
    assert lacking.meter == "hwmon/ina238/power2_input"
    assert lacking.reason.startswith("cannot be read: ")
