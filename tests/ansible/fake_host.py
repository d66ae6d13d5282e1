"""The files of sysfs and procfs that setup.yml looks for, as a laptop with four CPUs, RAPL and swap would show them."""

from __future__ import annotations

from pathlib import Path

CPUS = 4
STATES = 4
FILES = {
    "sys/devices/system/cpu/intel_pstate/no_turbo": "0",
    "sys/devices/system/cpu/smt/control": "on",
    "sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never",
    "sys/bus/event_source/devices/power/type": "22",
    "proc/sys/kernel/numa_balancing": "1",
    "proc/sys/kernel/randomize_va_space": "2",
    "proc/sys/kernel/perf_event_paranoid": "3",
    "proc/swaps": "Filename\tType\tSize\tUsed\tPriority\n/swapfile\tfile\t2097148\t0\t-2",
}
ZONE = "sys/devices/virtual/powercap/intel-rapl/intel-rapl:0"
ZONES = {f"{ZONE}/name": "package-0", f"{ZONE}/intel-rapl:0:0/name": "dram"}
COUNTERS = {"energy_uj": ("123456789", 0o400), "max_energy_range_uj": ("262143328850", 0o444)}


def build(root: Path) -> Path:
    """Writes the tree below `root`, which is empty; gives it back."""
    for name, text in FILES.items() | ZONES.items():
        write(root / name, text)
    for number in range(CPUS):
        cpu = root / f"sys/devices/system/cpu/cpu{number}"
        write(cpu / "cpufreq/scaling_governor", "powersave")
        write(cpu / "cpufreq/energy_performance_preference", "balance_performance")
        for state in range(STATES):
            write(cpu / f"cpuidle/state{state}/disable", "0")
    for zone in ZONES:
        counters((root / zone).parent, root / "sys/class/powercap")
    return root


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text + "\n")


def counters(folder: Path, links: Path) -> None:
    """A zone's files; sysfs shows the zone once more, as a link below class/powercap."""
    for name, (text, mode) in COUNTERS.items():
        write(folder / name, text)
        (folder / name).chmod(mode)
    links.mkdir(parents=True, exist_ok=True)
    up = "../" * len(links.relative_to(links.parents[1]).parts)
    (links / folder.name).symlink_to(up + str(folder.relative_to(links.parents[1])))
