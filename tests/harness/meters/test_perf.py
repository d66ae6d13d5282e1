"""The power PMU as a meter: an emulated tree over counters that the kernel really keeps."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.meters import perf
from harness.meters.base import EMULATOR_MARK, MeterConfiguration, MeterLost
from harness.meters.rapl_host import Host
from harness.records import PowerModel, Provenance, Unavailable
from tests.harness.meters.pmu_tree import INTEL, make_pmu
from tests.other_user import unprivileged

SOFTWARE, CPU_CLOCK = 1, 0  # enum perf_type_id, enum perf_sw_ids: it counts nanoseconds
needs_whole_machine = pytest.mark.skipif(
    os.geteuid() != 0 and int(perf.PARANOID.read_text()) > 0,
    reason="counting a whole CPU needs root or kernel.perf_event_paranoid <= 0",
)


def clocks(folder: Path, **events: int) -> Path:
    """The kernel's software clocks under the PMU's names: 1 "joule" a second on each CPU."""
    return make_pmu(folder, kind=SOFTWARE, scale="1e-9", **(events or {"pkg": CPU_CLOCK, "psys": CPU_CLOCK}))


def lacking(folder: Path) -> Unavailable:
    answer = perf.find_on(folder, INTEL, alternative=False)
    assert isinstance(answer, Unavailable)
    return answer


@needs_whole_machine
def test_whole_cpu_counters_are_scaled_to_joules(tmp_path: Path) -> None:
    meter = perf.find_on(clocks(tmp_path), INTEL, alternative=False)
    assert isinstance(meter, perf.PerfMeter)
    assert [one.name for one in meter.channels if one.boundary] == ["perf/energy-pkg/cpu0"]
    assert {one.provenance for one in meter.channels} == {Provenance.MEASURED}
    read = meter.open(None)
    first, began_s = read(), time.monotonic()
    time.sleep(0.5)
    growth_j, elapsed_s = (
        read()["perf/energy-pkg/cpu0"] - first["perf/energy-pkg/cpu0"],
        time.monotonic() - began_s,
    )
    assert growth_j == pytest.approx(elapsed_s, rel=0.05)
    assert first["perf/energy-pkg/cpu0"] < 0.1


@needs_whole_machine
def test_beside_rapl_it_is_an_alternative_and_adds_nothing(tmp_path: Path) -> None:
    meter = perf.find_on(clocks(tmp_path), INTEL, alternative=True)
    assert isinstance(meter, perf.PerfMeter)
    assert not any(one.boundary for one in meter.channels)
    assert meter.channels[0].note == "the registers of rapl by another way: not added"


@needs_whole_machine
@pytest.mark.parametrize(
    ("mark", "virtual", "expected"),
    [
        (True, True, Provenance.SIMULATED),
        (False, True, Provenance.ESTIMATED),
        (False, False, Provenance.MEASURED),
    ],
)
def test_where_the_numbers_come_from_is_said(
    tmp_path: Path, mark: bool, virtual: bool, expected: Provenance
) -> None:
    tree = clocks(tmp_path)
    if mark:
        (tree / EMULATOR_MARK).touch()
    meter = perf.find_on(tree, Host("", virtual=virtual, package_of={}), alternative=False)
    assert isinstance(meter, perf.PerfMeter)
    assert {one.provenance for one in meter.channels} == {expected}


@needs_whole_machine
def test_a_counter_that_stands_still_is_not_0_joules(tmp_path: Path) -> None:
    alignment_faults = 7  # PERF_COUNT_SW_ALIGNMENT_FAULTS: none happen here
    assert "energy-pkg/cpu0 reads constant" in lacking(clocks(tmp_path, pkg=alignment_faults)).reason


def test_a_machine_without_the_pmu_says_so_with_a_remedy(tmp_path: Path) -> None:
    answer = lacking(tmp_path / "power")
    assert "offers no power PMU" in answer.reason
    assert "bare metal" in answer.remedy


def _without_unit(tree: Path) -> None:
    (tree / "events" / "energy-pkg.unit").unlink()


def _other_unit(tree: Path) -> None:
    (tree / "events" / "energy-pkg.unit").write_text("Watts")


def _zero_scale(tree: Path) -> None:
    (tree / "events" / "energy-pkg.scale").write_text("0")


def _other_config(tree: Path) -> None:
    (tree / "events" / "energy-pkg").write_text("umask=0x02")


def _no_mask(tree: Path) -> None:
    (tree / "cpumask").write_text("\n")


@pytest.mark.parametrize("spoil", [_without_unit, _other_unit, _zero_scale, _other_config, _no_mask])
def test_a_tree_that_is_not_whole_is_unavailable_with_its_reason(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    tree = clocks(tmp_path)
    spoil(tree)
    assert "the power PMU cannot be used" in lacking(tree).reason


def test_an_event_that_the_kernel_does_not_know_is_unavailable(tmp_path: Path) -> None:
    assert "the power PMU cannot be used" in lacking(make_pmu(tmp_path, kind=4242)).reason


@pytest.mark.skipif(int(perf.PARANOID.read_text()) < 1, reason="this kernel lets everyone count whole CPUs")
def test_without_rights_the_switch_and_the_capability_are_named(tmp_path: Path) -> None:
    tree = clocks(tmp_path)
    with unprivileged(tree):
        answer = lacking(tree)
    assert f"Permission denied; perf_event_paranoid is {perf.PARANOID.read_text().strip()}" in answer.reason
    assert "CAP_PERFMON" in answer.remedy


@needs_whole_machine
def test_a_counter_that_is_taken_away_is_lost(tmp_path: Path) -> None:
    meter = perf.find_on(clocks(tmp_path), INTEL, alternative=False)
    assert isinstance(meter, perf.PerfMeter)
    read = meter.open(None)
    read()
    read._open[0] = (read._open[0][0], os.open(os.devnull, os.O_RDONLY))  # type: ignore[attr-defined]
    with pytest.raises(MeterLost):
        read()


def test_this_machine_gets_an_answer(tmp_path: Path) -> None:
    answer = perf.find(MeterConfiguration(tmp_path, PowerModel(idle_w=1, busy_cpu_w=1)))
    assert isinstance(answer, Unavailable | perf.PerfMeter)
    assert perf.PMU.exists() or isinstance(answer, Unavailable)
