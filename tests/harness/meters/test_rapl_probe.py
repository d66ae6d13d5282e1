"""Counters are looked at before they are summed: which stand still, which show one register twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.meters.rapl_host import Host
from tests.emulators.powercap import EmulatedZone, PowercapTree
from tests.emulators.waveforms import constant
from tests.harness.meters.rapl_asked import INTEL, ONE_PACKAGE, ZONES, addends, by_name, found, lacking

pytestmark = pytest.mark.unhurried


def test_one_register_behind_many_zones_is_counted_once(root: Path) -> None:
    """AMD on kernels 6.10 and 6.11: a zone of every die, all showing their package's register."""
    zones = [
        EmulatedZone(
            f"intel-rapl:{socket * 4 + die:x}",
            f"package-{socket}-die-{die}",
            constant(90.0 + 10 * socket),
            offset_uj=socket * 7_000_000,
            mirrors=f"intel-rapl:{socket * 4:x}" if die else "",
        )
        for socket in range(2)
        for die in range(4)
    ]
    with PowercapTree(root, zones):
        meter = found(root, Host("AuthenticAMD", virtual=False, package_of={0: 0, 1: 1}))
    assert addends(meter) == {"package-0-die-0", "package-1-die-0"}
    assert len(meter.channels) == 8
    note = by_name(meter)["package-1-die-3"].note
    assert note == "the register of package-1-die-0 once more: not added"


def test_dies_with_a_register_each_are_added_even_at_the_same_power(root: Path) -> None:
    """Intel Cascade Lake-AP: equal increments do not make two counters one."""
    zones = [
        EmulatedZone(f"intel-rapl:{die}", f"package-0-die-{die}", constant(80.0), offset_uj=die * 50_000_000)
        for die in range(2)
    ]
    with PowercapTree(root, zones):
        assert addends(found(root, ONE_PACKAGE)) == {"package-0-die-0", "package-0-die-1"}


def test_as_many_zones_as_packages_are_never_taken_for_one(root: Path) -> None:
    zones = [ZONES[0], EmulatedZone("intel-rapl:1", "package-1", constant(60.0), mirrors="intel-rapl:0")]
    with PowercapTree(root, zones):
        assert addends(found(root, INTEL)) == {"package-0", "package-1"}


def test_a_counter_that_stands_still_is_not_0_joules(root: Path) -> None:
    PowercapTree(root, ZONES[:1])
    kvm = Host("GenuineIntel", virtual=True, package_of={0: 0})
    answer = lacking(root, kvm)
    assert "intel-rapl:0/energy_uj reads constant: this is a virtual machine" in answer.reason
    assert "reads constant: the counter does not run" in lacking(root).reason


def test_a_dram_counter_that_stands_still_is_not_added(root: Path) -> None:
    with PowercapTree(root, [ZONES[0], EmulatedZone("intel-rapl:0:0", "dram", constant(0.0))]):
        meter = found(root)
    assert addends(meter) == {"package-0"}
    assert by_name(meter)["package-0/dram"].note == "reads constant: not measured, not added"


@pytest.mark.parametrize(("platform_w", "covers"), [(150.0, ("cpu_package",)), (50.0, ())])
def test_a_platform_is_held_against_its_packages_where_the_board_feeds_it(
    root: Path, platform_w: float, covers: tuple[str, ...]
) -> None:
    zones = [*ZONES[:-1], EmulatedZone("intel-rapl:a", "psys", constant(platform_w))]
    with PowercapTree(root, zones):
        psys = by_name(found(root))["psys"]
    assert psys.covers == covers
    assert ("this board does not feed it" in psys.note) is (not covers)
