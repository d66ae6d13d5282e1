"""The power PMU: its sysfs tree is parsed from an emulated one, the system call is the kernel's own."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.meters import perf
from harness.meters.base import EMULATOR_MARK, MeterLost, MeterSettings
from harness.meters.rapl_host import Host
from harness.meters.rapl_perf_event import SYSCALL, open_event, read_count
from harness.meters.rapl_pmu import cpu_list, one_per_register, power_events
from harness.records import PowerModel, Provenance, Unavailable

SOFTWARE, CPU_CLOCK, TASK_CLOCK = 1, 0, 1  # enum perf_type_id, enum perf_sw_ids; both count nanoseconds
INTEL = Host("GenuineIntel", virtual=False, package_of={0: 0, 1: 0, 28: 1, 29: 1})
NOBODY = 65534
KERNEL_SCALE = "2.3283064365386962890625e-10"

needs_whole_machine = pytest.mark.skipif(
    os.geteuid() != 0 and int(perf.PARANOID.read_text()) > 0,
    reason="counting a whole CPU needs root or kernel.perf_event_paranoid <= 0",
)


def pmu(folder: Path, kind: int = 9, cpumask: str = "0", scale: str = KERNEL_SCALE, **events: int) -> Path:
    """A tree as arch/x86/events/rapl.c makes it."""
    (folder / "events").mkdir(parents=True)
    (folder / "type").write_text(f"{kind}\n")
    (folder / "cpumask").write_text(f"{cpumask}\n")
    for name, config in (events or {"pkg": 2, "ram": 3, "cores": 1, "psys": 5}).items():
        (folder / "events" / f"energy-{name}").write_text(f"event=0x{config:02x}\n")
        (folder / "events" / f"energy-{name}.scale").write_text(f"{scale}\n")
        (folder / "events" / f"energy-{name}.unit").write_text("Joules\n")
    return folder


def clocks(folder: Path, **events: int) -> Path:
    """The kernel's software clocks under the PMU's names: 1 "joule" a second on each CPU."""
    return pmu(folder, kind=SOFTWARE, scale="1e-9", **(events or {"pkg": CPU_CLOCK, "psys": CPU_CLOCK}))


def lacking(folder: Path) -> Unavailable:
    answer = perf.find_on(folder, INTEL, alternative=False)
    assert isinstance(answer, Unavailable)
    return answer


def test_every_event_is_read_on_every_cpu_of_the_mask(tmp_path: Path) -> None:
    events = power_events(pmu(tmp_path, cpumask="0,28"), INTEL)
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


def test_the_system_call_opens_and_reads_a_counter_of_the_kernel() -> None:
    fd = open_event(SOFTWARE, TASK_CLOCK, pid=0, cpu=-1)
    try:
        assert not os.get_inheritable(fd)
        before_ns, cpu_before_ns = read_count(fd), time.thread_time_ns()
        while time.thread_time_ns() - cpu_before_ns < 50_000_000:
            pass
        spent_ns = read_count(fd) - before_ns
    finally:
        os.close(fd)
    assert spent_ns == pytest.approx(50e6, rel=0.2)


def test_the_system_calls_error_is_the_kernels() -> None:
    with pytest.raises(OSError, match="Invalid argument") as caught:
        open_event(SOFTWARE, TASK_CLOCK, pid=-1, cpu=-1)  # neither a process nor a CPU
    assert caught.value.errno == errno.EINVAL


def test_an_unknown_architecture_is_an_error_not_a_guess(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "vax")
    with pytest.raises(OSError, match="no system call number known for vax"):
        open_event(SOFTWARE, TASK_CLOCK, pid=0, cpu=-1)
    assert SYSCALL["x86_64"] == 298


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
    assert "the power PMU cannot be used" in lacking(pmu(tmp_path, kind=4242)).reason


@pytest.mark.skipif(int(perf.PARANOID.read_text()) < 1, reason="this kernel lets everyone count whole CPUs")
def test_without_rights_the_switch_and_the_capability_are_named(tmp_path: Path) -> None:
    tree = clocks(tmp_path)
    for parent in [tree, *tree.parents][:4]:
        parent.chmod(parent.stat().st_mode | 0o111)
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        answer = lacking(tree)
    finally:
        if root:
            os.seteuid(0)
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
    answer = perf.find(MeterSettings(tmp_path, PowerModel(idle_w=1, busy_cpu_w=1)))
    assert isinstance(answer, Unavailable | perf.PerfMeter)
    assert perf.PMU.exists() or isinstance(answer, Unavailable)
