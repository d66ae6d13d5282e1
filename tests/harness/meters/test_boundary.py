"""A boundary that is asked for is there and counts every joule once, or it is refused before anything is measured."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from harness.errors import UsageError
from harness.meters.boundary import chosen
from harness.records import Channel, ChannelKind, Unavailable
from tests.campaigns import channel

GAUGE = {"kind": ChannelKind.GAUGE}
CHANNELS = (
    channel("rapl/package-0", "rapl", "J", "cpu_package", boundary=True),
    channel("rapl/package-1", "rapl", "J", "cpu_package", boundary=True),
    channel("rapl/package-2", "rapl", "J", "cpu_package", note="the register of package-1 once more"),
    channel("rapl/package-0/core", "rapl", "J", "cpu_core"),
    channel("rapl/package-0/dram", "rapl", "J", "dram", boundary=True),
    channel("rapl/psys", "rapl", "J", "psys"),
    channel("rapl/psys-1", "rapl", "J", "psys"),
    channel("perf/psys", "perf", "J", "psys"),
    channel("perf/package-0", "perf", "J", "cpu_package"),
    channel("nvml/gpu-0/energy", "nvml", "J", "gpu", boundary=True),
    channel("nvml/gpu-0/power_instant", "nvml", "W", "gpu", **GAUGE),
    channel("nvml/gpu-0/power_average", "nvml", "W", "gpu", **GAUGE),
    channel("nvml/gpu-0/power_limit", "nvml", "W", "gpu", **GAUGE),
    channel("nvml/gpu-0/temperature", "nvml", "degC", "gpu", **GAUGE),
    channel("nvml/gpu-1/energy", "nvml", "J", "gpu", boundary=True),
    channel("hwmon/psu-0/power1_input", "hwmon", "W", "hwmon:psu-0/in", **GAUGE),
    channel("hwmon/psu-0/power2_input", "hwmon", "W", "hwmon:psu-0/12V", **GAUGE),
    channel("hwmon/psu-1/power1_input", "hwmon", "W", "hwmon:psu-1/in", **GAUGE),
    channel("command/bmc", "command", "W", "command:bmc", **GAUGE),
    channel("http/plug/power", "http", "W", "http:plug", **GAUGE),
    channel("http/plug/energy", "http", "J", "http:plug"),
    channel("http/second/power", "http", "W", "http:second", **GAUGE),
)
WALL = ("http/plug/power", "http/second/power")


def addends(asked: str, wall: Sequence[str] = WALL, channels: Sequence[Channel] = CHANNELS) -> list[Channel]:
    return [one for one in chosen(asked, channels, wall, ()) if one.boundary]


def names(asked: str, wall: Sequence[str] = WALL) -> list[str]:
    return [one.name for one in addends(asked, wall)]


def refused(asked: str, wall: Sequence[str] = WALL, lacking: Sequence[Unavailable] = ()) -> str:
    with pytest.raises(UsageError) as error:
        chosen(asked, CHANNELS, wall, lacking)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_the_wall_is_what_feeds_the_machine_and_nothing_else_counts() -> None:
    assert names("wall") == list(WALL)
    assert {one.domain for one in addends("wall")} == {"wall"}
    assert names("wall", ["command/bmc"]) == ["command/bmc"]
    assert names("wall", ["http/plug/power", "command/bmc"]) == [
        "command/bmc",
        "http/plug/power",
    ]  # side by side


def test_psys_is_that_of_one_meter() -> None:
    assert names("psys") == ["rapl/psys", "rapl/psys-1"]


@pytest.mark.parametrize(
    "asked",
    [
        "rapl/package-0",
        "rapl/package-0,rapl/package-1,nvml/gpu-0/energy,nvml/gpu-1/energy",
        "rapl/package-0/core,rapl/package-0/dram",
        "rapl/package-0, nvml/gpu-0/power_instant",
        "hwmon/psu-0/power1_input,hwmon/psu-1/power1_input",
        "command/bmc",
        "http/plug/energy,http/second/power",
    ],
)
def test_channels_that_hold_nothing_of_each_other_add_up(asked: str) -> None:
    assert sorted(names(asked)) == sorted(one.strip() for one in asked.split(","))
    assert all(one.domain != "wall" for one in addends(asked))


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("rapl/package-0,rapl/package-0/core", "cpu_core lies inside cpu_package"),
        ("rapl/package-0,rapl/psys", "may hold the other"),
        ("rapl/psys,nvml/gpu-0/energy", "may hold the other"),
        ("rapl/psys,perf/psys", "may hold the other"),
        ("rapl/package-0,http/plug/power", "may hold the other"),
        ("http/plug/power,command/bmc", "may hold the other"),
        ("hwmon/psu-0/power1_input,http/plug/power", "may hold the other"),
        ("http/plug/power,http/plug/energy", "readings of one device"),
        ("hwmon/psu-0/power1_input,hwmon/psu-0/power2_input", "readings of one device"),
        ("rapl/package-0,perf/package-0", "both are cpu_package, read twice"),
        ("rapl/package-1,rapl/package-2", "both are cpu_package, read twice"),
        ("nvml/gpu-0/energy,nvml/gpu-0/power_instant", "both are gpu, read twice"),
        ("nvml/gpu-0/power_average,nvml/gpu-0/power_instant", "both are gpu, read twice"),
    ],
)
def test_what_would_be_counted_twice_is_refused(asked: str, why: str) -> None:
    line = refused(asked)
    assert why in line
    assert all(name in line for name in asked.split(","))


@pytest.mark.parametrize("wall", [("http/plug/power", "http/plug/energy"), ("rapl/package-0",)])
def test_not_everything_is_a_wall(wall: Sequence[str]) -> None:
    refused("wall", wall)
    assert names("wall", ["rapl/psys"]) == ["rapl/psys"]  # the user says that it feeds all


@pytest.mark.parametrize(
    "asked",
    [
        "http/plg/power",
        "nvml/gpu-0/temperature",
        "nvml/gpu-0/power_limit",
        "estimate/cpu",
        ",",
        "rapl/package-0,x",
    ],
)
def test_a_channel_that_is_not_there_or_no_energy_is_named_beside_what_there_is(asked: str) -> None:
    line = refused(asked)
    assert "rapl/package-0, " in line and "http/plug/power" in line
    assert not {"nvml/gpu-0/temperature", "nvml/gpu-0/power_limit"} & set(
        line.partition("are told by ")[2].partition(";")[0].split(", ")
    )
    assert "choose among them, or see suite meters" in line


def test_a_machine_without_a_wall_says_how_to_name_it() -> None:
    line = refused("wall", ())
    assert "nothing that is wall" in line
    assert 'table [[http]], or write wall = ["CHANNEL"]' in line


def test_a_plug_that_does_not_answer_is_the_reason() -> None:
    lost = [
        Unavailable(meter="http third", reason="it answered 404", remedy="look"),
        Unavailable(meter="http plugs", reason="no", remedy=""),
    ]
    line = refused("http/third/power", lacking=lost)
    assert "(http third: it answered 404)" in line
    assert "http plugs" not in line
