"""How a machine is set, read from a fake tree of the kernel's files."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.host.changes import Change, changes
from harness.host.tuning import idle_states_off, swaps, tuning, turbo

CPU = "sys/devices/system/cpu"
TREE = {
    f"{CPU}/cpu0/cpufreq/scaling_governor": "performance",
    f"{CPU}/cpu1/cpufreq/scaling_governor": "powersave",
    f"{CPU}/cpu0/cpufreq/scaling_max_freq": "3600000",
    f"{CPU}/intel_pstate/no_turbo": "1",
    f"{CPU}/cpu0/cpuidle/state0/name": "POLL",
    f"{CPU}/cpu0/cpuidle/state0/disable": "0",
    f"{CPU}/cpu0/cpuidle/state1/name": "C6",
    f"{CPU}/cpu0/cpuidle/state1/disable": "1",
    f"{CPU}/smt/control": "on",
    f"{CPU}/online": "0-1",
    "proc/sys/kernel/numa_balancing": "1",
    "proc/sys/kernel/randomize_va_space": "2",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
    "proc/swaps": "Filename Type Size Used Priority\n/dev/sda2 partition 1 0 -2",
    "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc",
}


def plant(root: Path, tree: dict[str, str]) -> Path:
    for name, content in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{content}\n")
    return root


def test_every_knob_is_read(tmp_path: Path) -> None:
    assert tuning(plant(tmp_path, TREE)) == {
        "governors": "performance, powersave",
        "energy_preference": None,
        "turbo": False,
        "max_khz": "3600000",
        "idle_states_off": ["C6"],
        "smt": "on",
        "online_cpus": "0-1",
        "numa_balancing": 1,
        "transparent_hugepages": "madvise",
        "aslr": 2,
        "swaps": ["/dev/sda2"],
        "clock_source": "tsc",
        "gpus": {},
    }


def test_a_machine_that_tells_nothing_is_unknown_not_off(tmp_path: Path) -> None:
    found = tuning(tmp_path)
    assert {name for name, value in found.items() if value is not None} == {"gpus"}
    assert (turbo(tmp_path), idle_states_off(tmp_path), swaps(tmp_path)) == (None, None, None)


@pytest.mark.parametrize(("content", "allowed"), [("1", True), ("0", False)])
def test_turbo_is_cpufreqs_boost_where_there_is_no_intel_pstate(
    tmp_path: Path, content: str, allowed: bool
) -> None:
    assert turbo(plant(tmp_path, {f"{CPU}/cpufreq/boost": content})) is allowed


def test_changes_name_what_differs_however_deep() -> None:
    before = {"turbo": True, "gpus": {"GPU-1": {"power_limit_w": 300.0}}, "gone": 1}
    after = {"turbo": False, "gpus": {"GPU-1": {"power_limit_w": 250.0}}, "new": 2}
    assert changes(before, after) == [
        Change("turbo", True, False),
        Change("gpus.GPU-1.power_limit_w", 300.0, 250.0),
        Change("gone", 1, None),
        Change("new", None, 2),
    ]
    assert str(changes(before, after)[2]) == "gone: 1 -> unknown"
    assert changes(before, before) == []
