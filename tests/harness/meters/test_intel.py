"""Intel's cards as sysfs shows them, with counters that a writer moves along a known power."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness.energy.joules import run_energy
from harness.energy.series import series
from harness.meters import hwmon, intel
from harness.meters.base import EMULATOR_MARK, MeterConfiguration, MeterLost
from harness.records import PowerModel, Provenance, Unavailable
from tests.emulators.waveforms import Waveform, constant, steps

pytestmark = pytest.mark.unhurried
SETTINGS = MeterConfiguration(Path("/nowhere"), PowerModel(idle_w=10, busy_cpu_w=5))
LOAD = steps([(0.3, 150.0), (0.2, 60.0)])
WITHIN = 0.01


class Card:
    """A card whose counter starts at 5 kJ."""

    def __init__(self, root: Path, number: int, address: str, name: str = "xe", **files: object) -> None:
        self.device, self.chip = root / "devices" / address, root / "class" / f"hwmon{number}"
        self.device.mkdir(parents=True)
        self.chip.mkdir(parents=True)
        (self.chip / "device").symlink_to(self.device)
        self.write({"name": name, "energy1_input": 5_000_000_000, **files})
        for file, value in {"vendor": "0x8086", "device": "0x56a0"}.items():
            (self.device / file).write_text(f"{value}\n")

    def write(self, files: dict[str, object]) -> None:
        for name, value in files.items():
            (self.chip / name).write_text(f"{value}\n")

    @contextmanager
    def drawing(self, power: Waveform, file: str = "energy1_input") -> Iterator[int]:
        """Fixed-width numbers, each written whole: a reader never sees half of one. Yields its start, ns."""
        start_ns, stop = time.monotonic_ns(), threading.Event()

        def move() -> None:
            with (self.chip / file).open("r+b", buffering=0) as counter:
                while not stop.wait(0.002):
                    joules = 5000 + power((time.monotonic_ns() - start_ns) / 1e9)
                    counter.seek(0)
                    counter.write(b"%016d\n" % int(joules * 1e6))

        (self.chip / file).write_text(f"{5_000_000_000:016d}\n")
        thread = threading.Thread(target=move)
        thread.start()
        try:
            yield start_ns
        finally:
            stop.set()
            thread.join()


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(intel, "WATCH_S", 0.3)
    monkeypatch.setenv("JOULEMARK_HWMON_ROOT", str(tmp_path / "class"))
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / EMULATOR_MARK).touch()
    return tmp_path


def answer(root: Path) -> intel.IntelMeter | Unavailable:
    return intel.find(replace(SETTINGS, hwmon_root=root / "class"))


def found(root: Path) -> intel.IntelMeter:
    meter = answer(root)
    assert isinstance(meter, intel.IntelMeter), meter
    return meter


def test_the_energy_of_a_card_is_its_counter_s_growth(root: Path) -> None:
    with Card(root, 0, "0000:03:00.0").drawing(LOAD) as start_ns:
        meter, rows, end = found(root), {}, time.monotonic() + 2.0
        read = meter.open(None)
        while time.monotonic() < end:
            rows[time.monotonic_ns()] = read()["intel/gpu-0/energy"]
            time.sleep(0.01)
    (channel,) = (one for one in meter.channels if one.boundary)
    assert (channel.domain, channel.unit, channel.provenance) == ("gpu", "J", Provenance.SIMULATED)
    times = np.array(list(rows), dtype=np.int64)
    recording = [series(channel, times, np.array(list(rows.values())))]
    begin_ns, end_ns = int(times[5]), int(times[-5])
    energy = run_energy(recording, meter.channels, begin_ns, end_ns)
    truth_j = LOAD((end_ns - start_ns) / 1e9) - LOAD((begin_ns - start_ns) / 1e9)
    assert energy.energy_j == pytest.approx(truth_j, rel=WITHIN)


def test_a_tile_and_a_package_are_not_summed_beside_their_card(root: Path) -> None:
    labels = {"energy1_label": "card", "energy2_input": 1, "energy2_label": "pkg"}
    card = Card(root, 0, "0000:03:00.0", **labels)
    Card(root, 1, "0000:04:00.0", name="i915_gt0")
    with card.drawing(constant(100.0)):
        assert [one.name for one in found(root).channels if one.boundary] == ["intel/gpu-0/energy"]
        left = hwmon.find(replace(SETTINGS, hwmon_root=root / "class"))
    assert isinstance(left, hwmon.HwmonMeter)
    assert {one.name for one in left.channels} == {"hwmon/xe/energy2_input", "hwmon/i915_gt0/energy1_input"}
    assert not any(one.boundary for one in left.channels)


def test_a_card_that_counts_its_package_alone_is_measured_by_that(root: Path) -> None:
    card = Card(root, 0, "0000:03:00.0", energy2_input=1, energy2_label="pkg")
    (card.chip / "energy1_input").unlink()
    with card.drawing(constant(100.0), "energy2_input"):
        (channel,) = (one for one in found(root).channels if one.boundary)
    assert channel.note.endswith("energy2_input")


def test_a_counter_that_stands_still_is_refused(root: Path) -> None:
    Card(root, 0, "0000:03:00.0", name="i915")
    refused = answer(root)
    assert isinstance(refused, Unavailable)
    assert "the energy counter of 0000:03:00.0 is not believed: it stood still" in refused.reason


def test_a_counter_that_is_no_number_is_named(root: Path) -> None:
    Card(root, 0, "0000:03:00.0", energy1_input="none")
    refused = answer(root)
    assert isinstance(refused, Unavailable)
    assert refused.reason.startswith("a card's energy cannot be read")


def test_a_card_that_goes_away_ends_its_channels(root: Path) -> None:
    card = Card(root, 0, "0000:03:00.0")
    with card.drawing(constant(100.0)):
        read = found(root).open(None)
    (card.chip / "energy1_input").unlink()
    with pytest.raises(MeterLost, match=r"0000:03:00\.0 stopped answering"):
        read()


def test_facts_and_states_come_from_sysfs(root: Path) -> None:
    card = Card(root, 0, "0000:03:00.0", power1_max=190_000_000, temp2_input=48_000)
    clocks = card.device / "tile0" / "gt0" / "freq0"
    clocks.mkdir(parents=True)
    for name, mhz in (("act_freq", 2050), ("max_freq", 2400)):
        (clocks / name).write_text(f"{mhz}\n")
    ((gpu,), (state,)) = intel.facts()["gpus"], intel.states()
    assert (gpu["name"], gpu["uuid"], gpu["driver"]) == ("Intel GPU 8086:56a0", "0000:03:00.0", "xe")
    assert (state["sm_clock_mhz"], state["sm_clock_limit_mhz"], state["power_limit_w"]) == (2050, 2400, 190.0)
    with card.drawing(constant(100.0)):
        assert found(root).open(None)()["intel/gpu-0/temperature"] == 48.0


def test_a_machine_without_a_card_names_what_it_takes(root: Path) -> None:
    lacking = intel.lacking()
    assert lacking and lacking.reason.startswith("no card of Intel's")
    assert (intel.facts(), intel.states(), intel.foreign_processes(())) == ({}, [], None)
