"""Power and energy sensors of the board, from a tree as the kernel's hwmon interface documents it."""

from __future__ import annotations

import errno
from dataclasses import replace
from pathlib import Path

import pytest

from harness.meters import hwmon
from harness.meters.base import MeterConfiguration, MeterLost
from harness.records import ChannelKind, PowerModel, Provenance, Unavailable

pytestmark = pytest.mark.unhurried

SETTINGS = MeterConfiguration(Path("/nowhere"), PowerModel(idle_w=10, busy_cpu_w=5))


def chip(root: Path, folder: str, **files: object) -> Path:
    (root / folder).mkdir(parents=True)
    for name, value in files.items():
        (root / folder / name).write_text(f"{value}\n")
    return root / folder


def found(root: Path) -> hwmon.HwmonMeter:
    meter = hwmon.find(replace(SETTINGS, hwmon_root=root))
    assert isinstance(meter, hwmon.HwmonMeter)
    return meter


def unavailable(root: Path) -> Unavailable:
    answer = hwmon.find(replace(SETTINGS, hwmon_root=root))
    assert isinstance(answer, Unavailable)
    return answer


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """An INA chip with a label and an energy counter, a Grace module's ACPI meter, and a chip of temperatures."""
    ina = {"name": "ina238", "power1_input": 12_500_000, "power1_label": "12V", "energy1_input": 7_000_000}
    chip(tmp_path, "hwmon0", **ina, update_interval=200)
    chip(tmp_path, "hwmon1", name="power_meter")
    acpi = {
        "power1_average": 310_000_000,
        "power1_average_interval": 50,
        "power1_oem_info": "Module Power Socket 0",
    }
    chip(tmp_path / "hwmon1", "device", **acpi)
    chip(tmp_path, "hwmon2", name="coretemp", temp1_input=40_000)
    return tmp_path


def test_watts_and_joules_are_read_from_microwatts_and_microjoules(board: Path) -> None:
    assert found(board).open(None)() == {
        "hwmon/ina238/power1_input": 12.5,
        "hwmon/ina238/energy1_input": 7.0,
        "hwmon/power_meter/power1_average": 310.0,
    }


def test_each_sensor_is_a_boundary_of_its_own_named_after_its_label(board: Path) -> None:
    channels = {channel.name: channel for channel in found(board).channels}
    assert not any(channel.boundary for channel in channels.values())
    grace, energy = channels["hwmon/power_meter/power1_average"], channels["hwmon/ina238/energy1_input"]
    assert grace.domain == "hwmon:power_meter/Module Power Socket 0"
    assert (grace.unit, grace.kind) == ("W", ChannelKind.GAUGE)
    assert (energy.unit, energy.kind) == ("J", ChannelKind.COUNTER)
    assert channels["hwmon/ina238/power1_input"].domain == "hwmon:ina238/12V"
    assert grace.provenance is Provenance.MEASURED


def test_documented_intervals_set_the_period(board: Path) -> None:
    meter = found(board)
    assert {channel.name: channel.update_s for channel in meter.channels} == {
        "hwmon/ina238/power1_input": 0.2,
        "hwmon/ina238/energy1_input": 0.2,
        "hwmon/power_meter/power1_average": 0.05,
    }
    assert meter.period_s == 0.05


def test_two_chips_of_one_name_are_told_apart_by_their_address(tmp_path: Path) -> None:
    for number, address in enumerate(("4-0040", "4-0041")):
        (tmp_path / "devices" / address).mkdir(parents=True)
        folder = chip(tmp_path / "class", f"hwmon{number}", name="ina226", power1_input=number)
        (folder / "device").symlink_to(tmp_path / "devices" / address)
    names = {channel.name for channel in found(tmp_path / "class").channels}
    assert names == {"hwmon/ina226@4-0040/power1_input", "hwmon/ina226@4-0041/power1_input"}


def test_a_board_without_sensors_says_so_with_a_remedy(tmp_path: Path) -> None:
    chip(tmp_path, "hwmon0", name="coretemp", temp1_input=40_000)
    answer = unavailable(tmp_path)
    assert "no chip" in answer.reason
    assert answer.remedy


def test_an_unreadable_sensor_is_left_out_with_the_reason(board: Path) -> None:
    (board / "hwmon0" / "energy1_input").write_text("")
    meter = found(board)
    assert "hwmon/ina238/energy1_input" not in {channel.name for channel in meter.channels}
    (left_out,) = meter.left_out
    assert left_out.meter == "hwmon/ina238/energy1_input"
    assert left_out.reason.startswith("cannot be read: ")
    assert "udev rule" in left_out.remedy


def test_where_no_sensor_can_be_read_there_is_no_meter(tmp_path: Path) -> None:
    folder = chip(tmp_path, "hwmon0", name="ina226")
    (folder / "power1_input").mkdir()  # EISDIR, for root too
    assert "hwmon/ina226/power1_input cannot be read" in unavailable(tmp_path).reason


def test_a_chip_that_disappears_is_lost_not_zero(board: Path) -> None:
    read = found(board).open(None)
    (board / "hwmon0" / "power1_input").unlink()
    with pytest.raises(MeterLost, match="ina238/power1_input stopped answering: No such file"):
        read()


def test_a_sensor_that_turns_to_nonsense_is_lost(board: Path) -> None:
    read = found(board).open(None)
    (board / "hwmon0" / "power1_input").write_text("N/A")
    with pytest.raises(MeterLost):
        read()


@pytest.mark.parametrize("code", [errno.EAGAIN, errno.ENODATA])
def test_a_sensor_with_nothing_to_say_is_left_out_of_that_reading(
    board: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    read, real = found(board).open(None), Path.read_text

    def refuse(path: Path) -> str:
        if path.name == "power1_average":
            raise OSError(code, "nothing now")
        return real(path)

    monkeypatch.setattr(Path, "read_text", refuse)
    assert set(read()) == {"hwmon/ina238/power1_input", "hwmon/ina238/energy1_input"}


def test_an_emulated_tree_is_labelled_simulated(board: Path) -> None:
    (board / hwmon.EMULATOR_MARK).touch()
    assert {channel.provenance for channel in found(board).channels} == {Provenance.SIMULATED}
