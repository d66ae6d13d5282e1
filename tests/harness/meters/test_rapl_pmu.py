"""The power PMU's events are parsed from an emulated tree, each register once."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.meters.rapl_host import Host
from harness.meters.rapl_pmu import cpu_list, one_per_register, power_events
from tests.harness.meters.pmu_tree import INTEL, make_pmu


def test_every_event_is_read_on_every_cpu_of_the_mask(tmp_path: Path) -> None:
    events = power_events(make_pmu(tmp_path, cpumask="0,28"), INTEL)
    assert {(one.channel, one.domain, one.config) for one in events} == {
        (f"perf/energy-{name}/cpu{cpu}", domain, config)
        for cpu in (0, 28)
        for name, domain, config in [
            ("pkg", "cpu_package", 2), ("ram", "dram", 3), ("cores", "cpu_core", 1), ("psys", "psys", 5),
        ]
    }  # fmt: skip
    assert {one.scale_j for one in events} == {2.0**-32}
    assert {one.kind for one in events} == {9}


def test_amds_dies_are_read_once_a_package_intels_each() -> None:
    assert one_per_register([0, 1, 28, 29], INTEL) == [0, 1, 28, 29]
    amd = Host("AuthenticAMD", virtual=False, package_of=INTEL.package_of)
    assert one_per_register([0, 1, 28, 29], amd) == [0, 28]
    assert one_per_register([0, 1], Host("AuthenticAMD", virtual=False, package_of={})) == [0, 1]


@pytest.mark.parametrize(
    ("text", "cpus"), [("0", [0]), ("0,28\n", [0, 28]), ("0-2,8", [0, 1, 2, 8]), ("3-3", [3])]
)
def test_a_cpu_list_is_read_as_the_kernel_writes_it(text: str, cpus: list[int]) -> None:
    assert cpu_list(text) == cpus
