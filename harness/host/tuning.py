"""How the machine is set: everything that somebody may change while it measures, and that changes what is measured.

Sources: the kernel's Documentation/admin-guide (pm/cpufreq.rst, pm/intel_pstate.rst, pm/cpuidle.rst, mm/transhuge.rst,
sysctl/kernel.rst).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.host.files import ROOT, chosen, number, read, read_all
from harness.meters import gpus

CPU = "sys/devices/system/cpu"
OF_A_GPU = ("persistence_mode", "power_limit_w", "sm_clock_limit_mhz")


def tuning(root: Path = ROOT) -> dict[str, Any]:
    """JSON types only; None where the kernel does not tell, or offers no choice."""
    return {
        "governors": ", ".join(read_all(root, f"{CPU}/cpu*/cpufreq/scaling_governor")) or None,
        "energy_preference": ", ".join(read_all(root, f"{CPU}/cpu*/cpufreq/energy_performance_preference"))
        or None,
        "turbo": turbo(root),
        "max_khz": ", ".join(read_all(root, f"{CPU}/cpu*/cpufreq/scaling_max_freq")) or None,
        "idle_states_off": idle_states_off(root),
        "smt": read(root, f"{CPU}/smt/control"),
        "online_cpus": read(root, f"{CPU}/online"),
        "numa_balancing": number(read(root, "proc/sys/kernel/numa_balancing")),
        "transparent_hugepages": chosen(read(root, "sys/kernel/mm/transparent_hugepage/enabled")),
        "aslr": number(read(root, "proc/sys/kernel/randomize_va_space")),
        "swaps": swaps(root),
        "clock_source": read(root, "sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "gpus": {gpu["uuid"]: {name: gpu[name] for name in OF_A_GPU} for gpu in gpus.states()},
    }


def turbo(root: Path) -> bool | None:
    """Whether clocks above the nominal one are allowed: by intel_pstate, else by cpufreq's boost."""
    if (off := number(read(root, f"{CPU}/intel_pstate/no_turbo"))) is not None:
        return off == 0
    boost = number(read(root, f"{CPU}/cpufreq/boost"))
    return None if boost is None else boost == 1


def idle_states_off(root: Path) -> list[str] | None:
    """Names of the C-states that are switched off on some CPU; None where there are none to switch."""
    states = sorted(root.glob(f"{CPU}/cpu*/cpuidle/state*"))
    if not states:
        return None
    off = (one for one in states if read(root, f"{one.relative_to(root)}/disable") not in (None, "0"))
    return sorted({read(root, f"{one.relative_to(root)}/name") or one.name for one in off})


def swaps(root: Path) -> list[str] | None:
    """The swap areas in use (proc_swaps(5)); None if the kernel does not tell."""
    text = read(root, "proc/swaps")
    return None if text is None else [line.split()[0] for line in text.splitlines()[1:]]
