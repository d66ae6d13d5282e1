"""nvidia-smi's logs: gauges at their own time stamps, or a second apart where there are none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from harness.energy.series import counter_increase, gauge_integral
from harness.importers.base import SourceError
from harness.importers.files import smi_csv, smi_text
from harness.records import Provenance
from tests.foreign import SMI_HEADER, powers, smi_rows, write


def log(path: Path, *rows: str, header: str = SMI_HEADER) -> Path:
    return write(path, "\n".join([header, *(rows or smi_rows(3))]) + "\n")


def test_powers_alone_are_a_gauge_a_second_apart_and_say_so(tmp_path: Path) -> None:
    watts = smi_text.read(powers(tmp_path / "a.txt", [5.0, 80.0, 90.0]))
    gauge, energy = smi_text.series(watts, 1000, 4_000_000_000)
    assert list(np.diff(gauge.t_ns)) == [1_000_000_000] * 2
    assert "no time stamps" in gauge.channel.note
    assert not gauge.channel.boundary
    assert (energy.channel.provenance, energy.channel.boundary) == (Provenance.DERIVED, True)


@settings(deadline=None)  # a busy machine is no fault
@given(some.lists(some.integers(0, 50_000), min_size=1, max_size=50), some.integers(10**6, 10**13))
def test_their_energy_is_the_sum_of_the_readings_whatever_time_it_took(
    centiwatts: list[int], duration_ns: int
) -> None:
    watts = np.array(centiwatts) / 100
    _, energy = smi_text.series(watts, 7, duration_ns)
    assert counter_increase(energy, 7, 7 + duration_ns) == pytest.approx(watts.sum(), rel=1e-12)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("6.3 W\n6", "a.txt:2: '6' is no power with its unit"),
        ("6.3 W\n[N/A]\n", "a.txt:2: '[N/A]' is no power"),
        ("6.3 W\n6300 mW\n", "a.txt:2: mixed units: mW here, W above"),
        ("", "a.txt: the file is empty"),
    ],
)
def test_a_bad_list_of_powers_is_named_with_its_line(tmp_path: Path, text: str, line: str) -> None:
    with pytest.raises(SourceError) as refused:
        smi_text.read(write(tmp_path / "a.txt", text))
    assert line in str(refused.value)


def test_milliwatts_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    assert list(smi_text.read(write(tmp_path / "a.txt", "6300 mW\r\n7000 mW\r\n"))) == [6.3, 7.0]


def test_a_log_becomes_gauges_at_its_own_stamps(tmp_path: Path) -> None:
    found = smi_csv.read(log(tmp_path / "a.csv"))
    by_name = {one.channel.name.rpartition("/")[2]: one for one in found.series}
    assert set(by_name) == {"power", "temperature", "memory_used", "gpu_utilisation", "memory_utilisation"}
    power = by_name["power"]
    assert found.window == (int(power.t_ns[0]), int(power.t_ns[-1]))
    assert gauge_integral(power, *found.window).value == pytest.approx(200.0)  # type: ignore[union-attr]
    assert list(by_name["memory_used"].values) == [10 * 2**20] * 3
    assert [one.channel.name for one in found.series if one.channel.boundary] == ["nvidia-smi/gpu-0/power"]


def test_without_units_the_header_says_them(tmp_path: Path) -> None:
    path = log(tmp_path / "a.csv", "2023/05/07 18:00:00.000, 5000", header="timestamp, power.draw [mW]")
    assert list(smi_csv.read(path).series[0].values) == [5.0]


@pytest.mark.parametrize(
    "column", ["power.draw [kW]", "power.draw [W], energy [kJ]", "power.draw [W], energy [Wh]"]
)
def test_a_unit_that_is_no_watt_is_refused_by_its_column(tmp_path: Path, column: str) -> None:
    """No record has such a channel: it was a traceback."""
    row = "2023/05/07 18:00:00.000" + ", 5" * len(column.split(","))
    path = log(tmp_path / "a.csv", row, header=f"timestamp, {column}")
    with pytest.raises(SourceError, match=r"a\.csv:1: .* is in (kW|kJ|Wh), which nvidia-smi never writes"):
        smi_csv.read(path)


def test_each_gpu_has_its_own_channels_and_all_are_in_the_energy(tmp_path: Path) -> None:
    rows = [
        f"2023/05/07 18:00:0{second}.000, {gpu}, {100 + gpu}.0 W" for second in range(3) for gpu in (0, 1)
    ]
    found = smi_csv.read(log(tmp_path / "a.csv", *rows, header="timestamp, index, power.draw [W]"))
    assert {one.channel.name: (one.values[0], one.channel.boundary) for one in found.series} == {
        "nvidia-smi/gpu-0/power": (100.0, True),
        "nvidia-smi/gpu-1/power": (101.0, True),
    }


def test_of_several_powers_of_one_gpu_one_is_in_the_energy(tmp_path: Path) -> None:
    header = "timestamp, power.draw.instant [W], power.draw [W], name, pstate"
    path = log(tmp_path / "a.csv", "2023/05/07 18:00:00.000, 90.0 W, 80.0 W, Example GPU, P0", header=header)
    found = smi_csv.read(path)
    assert [one.channel.name for one in found.series if one.channel.boundary] == ["nvidia-smi/gpu-0/power"]
    assert found.facts == {"name": "Example GPU"}


def test_a_reading_that_the_card_lacks_is_no_zero(tmp_path: Path) -> None:
    rows = [row.replace(", 33,", ", [N/A],") for row in smi_rows(3)]
    found = smi_csv.read(log(tmp_path / "a.csv", *rows))
    assert "nvidia-smi/gpu-0/temperature" not in {one.channel.name for one in found.series}
    assert [one.meter for one in found.missing] == ["nvidia-smi/gpu-0/temperature"]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            (", 10 MiB, 39 %, 0 %\n2023/05/07 18:00:02", "\n2023/05/07 18:00:02"),
            "a.csv:3: 3 fields",
        ),
        (("18:00:01.500", "17:00:01.500"), "a.csv:3: time runs backwards"),
        (("18:00:01.500, 100.00 W", "18:00:01.500, -5.00 W"), "a.csv:3: power.draw [W] is below 0"),
        (("18:00:01.500", "noon"), "is no time stamp"),
        (
            ("18:00:01.500, 100.00 W", "18:00:01.500, 100000 mW"),
            "a.csv:3: mixed units of power.draw [W]: '100000 mW'",
        ),
        (
            ("18:00:01.500, 100.00 W", "18:00:01.500, [N/A]"),
            "a.csv:3: power.draw [W] is absent between readings",
        ),
        (
            ("W, 33", "W, warm"),
            "a.csv:2: temperature.gpu is 'warm', no number",
        ),
        ((" power.draw [W]", " power draw"), "a.csv:1: unknown column 'power draw'"),
        ((" power.draw [W]", " fan.speed [W]"), "a.csv:1: no power.draw in it"),
    ],
)
def test_a_bad_log_is_named_with_its_line(tmp_path: Path, change: tuple[str, str], line: str) -> None:
    path = log(tmp_path / "a.csv")
    assert change[0] in path.read_text()
    write(path, path.read_text().replace(*change, 1))
    with pytest.raises(SourceError) as refused:
        smi_csv.read(path)
    assert line in str(refused.value)
