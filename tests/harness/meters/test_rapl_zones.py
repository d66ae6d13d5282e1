"""Powercap zones are told apart by their names; a tree that is not whole or not readable is an error, never 0."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.meters import rapl
from harness.meters.base import MeterConfiguration
from harness.records import Unavailable
from tests.emulators.powercap import EmulatedZone, PowercapTree, many
from tests.emulators.waveforms import constant
from tests.harness.meters.rapl_asked import POWER_MODEL, ZONES, addends, by_name, found, lacking
from tests.other_user import unprivileged

pytestmark = pytest.mark.unhurried


def test_zones_are_ordered_by_their_hexadecimal_numbers(root: Path) -> None:
    with PowercapTree(root, many(18)):
        names = [channel.name for channel in found(root).channels]
    assert names == [f"rapl/package-{n}" for n in range(18)]


def test_two_zones_of_one_name_stay_two_channels(root: Path) -> None:
    zones = [
        EmulatedZone("intel-rapl:0", "package-0", constant(60.0)),
        EmulatedZone("intel-rapl:1", "package-0", constant(60.0), offset_uj=90_000_000),
    ]
    with PowercapTree(root, zones):
        assert addends(found(root)) == {"package-0 intel-rapl:0", "package-0 intel-rapl:1"}


def test_the_memory_mapped_twin_is_left_out_and_said_so(root: Path) -> None:
    with PowercapTree(root, [*ZONES[:1], EmulatedZone("intel-rapl-mmio:0", "package-0", constant(60.0))]):
        meter = found(root)
    assert list(by_name(meter)) == ["package-0"]
    assert "intel-rapl-mmio shows the same register" in by_name(meter)["package-0"].note


def test_a_machine_without_zones_says_so_with_a_remedy(tmp_path: Path) -> None:
    answer = rapl.find(MeterConfiguration(tmp_path, POWER_MODEL))
    assert isinstance(answer, Unavailable)
    assert "no intel-rapl zones" in answer.reason
    assert "bare metal" in answer.remedy


@pytest.mark.parametrize("text", ["0", "", "much"])
def test_a_range_that_is_no_range_is_an_error_not_0(root: Path, text: str) -> None:
    PowercapTree(root, ZONES)
    (root / "intel-rapl:1" / "max_energy_range_uj").write_text(text)
    assert "intel-rapl:1/max_energy_range_uj reads" in lacking(root).reason


def test_a_missing_range_is_an_error_not_0(root: Path) -> None:
    PowercapTree(root, ZONES)
    (root / "intel-rapl:0" / "max_energy_range_uj").unlink()
    assert "max_energy_range_uj cannot be read: No such file" in lacking(root).reason


@pytest.mark.parametrize("file", ["energy_uj", "max_energy_range_uj"])
def test_a_closed_file_names_itself_its_rights_and_the_remedy(root: Path, file: str) -> None:
    PowercapTree(root, ZONES)
    closed = root / "intel-rapl:1" / file
    closed.chmod(0o400 if os.geteuid() == 0 else 0o000)
    with unprivileged(root):
        answer = lacking(root)
    owner = closed.owner()
    assert f"intel-rapl:1/{file} cannot be read (Permission denied)" in answer.reason
    assert f"owned by {owner}:{closed.group()}, mode 0{closed.stat().st_mode & 0o777:03o}" in answer.reason
    assert "your groups: " in answer.reason
    assert "udev rule or tmpfiles.d" in answer.remedy
