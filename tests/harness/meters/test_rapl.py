"""RAPL's channels: which of them are addends of the energy, where they come from, and what becomes of a lost one."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.meters.base import EMULATOR_MARK, MeterLost
from harness.meters.rapl_host import Host
from harness.records import Provenance
from tests.emulators.powercap import PowercapTree
from tests.harness.meters.rapl_asked import AMD, ZONES, addends, by_name, found

pytestmark = pytest.mark.unhurried


def test_only_packages_and_dram_are_addends_of_the_energy(root: Path) -> None:
    with PowercapTree(root, ZONES):
        meter = found(root)
    assert addends(meter) == {"package-0", "package-0/dram", "package-1", "package-1/dram"}
    channels = by_name(meter)
    assert channels["package-0/core"].domain == "cpu_core"
    assert channels["package-0/uncore"].domain == "cpu_uncore"
    assert channels["psys"].domain == "psys"
    assert channels["package-0"].wraps_at == 20.0
    assert "filtering (MSR 0xBC) unknown" in channels["package-0"].note


def test_amds_core_zone_is_no_total(root: Path) -> None:
    with PowercapTree(root, ZONES[:2]):
        core = by_name(found(root, AMD))["package-0/core"]
    assert not core.boundary
    assert core.note == "on AMD the energy of one core only"


def test_a_hypervisors_counters_are_labelled_as_its_model(root: Path) -> None:
    with PowercapTree(root, ZONES):
        (root / EMULATOR_MARK).unlink()
        virtual = found(root, Host("GenuineIntel", virtual=True, package_of={0: 0, 1: 1}))
        metal = found(root)
    assert {channel.provenance for channel in virtual.channels} == {Provenance.ESTIMATED}
    assert "QEMU's rapl=true" in virtual.channels[0].note
    assert {channel.provenance for channel in metal.channels} == {Provenance.MEASURED}


def test_a_zone_that_is_gone_before_the_run_is_lost_too(root: Path) -> None:
    with PowercapTree(root, ZONES) as tree:
        meter = found(root)
        tree.vanish("intel-rapl:0")
    with pytest.raises(MeterLost):
        meter.open(None)()
