"""The `power` PMU in sysfs (arch/x86/events/rapl.c): which energy events it offers, and on which CPUs they are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.meters.rapl_host import Host

DOMAINS = {
    "energy-pkg": "cpu_package",
    "energy-ram": "dram",
    "energy-cores": "cpu_core",
    "energy-gpu": "cpu_uncore",
    "energy-psys": "psys",
}
JOULES = "Joules"


@dataclass(frozen=True)
class PowerEvent:
    """One energy event on one CPU: `scale_j` joules a count."""

    name: str
    domain: str
    kind: int
    config: int
    scale_j: float
    cpu: int

    @property
    def channel(self) -> str:
        return f"perf/{self.name}/cpu{self.cpu}"


def power_events(pmu: Path, host: Host) -> list[PowerEvent]:
    """Every known event on every CPU of the PMU's mask. Raises: OSError, ValueError for a tree that is not whole."""
    kind = int((pmu / "type").read_text())
    cpus = one_per_register(cpu_list((pmu / "cpumask").read_text()), host)
    names = [name for name in DOMAINS if (pmu / "events" / name).exists()]
    return [_event(pmu / "events" / name, kind, cpu) for name in names for cpu in cpus]


def _event(file: Path, kind: int, cpu: int) -> PowerEvent:
    unit = file.with_name(f"{file.name}.unit").read_text().strip()
    if unit != JOULES:
        raise ValueError(f"{file}.unit is {unit!r}, not {JOULES}")
    scale_j = float(file.with_name(f"{file.name}.scale").read_text())
    if not scale_j > 0:
        raise ValueError(f"{file}.scale is {scale_j}")
    return PowerEvent(file.name, DOMAINS[file.name], kind, _config(file.read_text()), scale_j, cpu)


def _config(text: str) -> int:
    """event=0x02; its place in the configuration is bits 0-7 (format/event)."""
    terms = dict(term.split("=") for term in text.strip().split(","))
    return int(terms["event"], 0)


def cpu_list(text: str) -> list[int]:
    """0,28 or 0-3,8 -> the numbers (Documentation/core-api/cpu_hotplug.rst, "cpulist" format)."""
    numbers: list[int] = []
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def one_per_register(cpus: Sequence[int], host: Host) -> list[int]:
    """AMD's register is the package's, though kernels 6.10 and 6.11 name a CPU of every die (rule R3)."""
    if not host.amd:
        return list(cpus)
    first_of = {host.package_of.get(cpu, cpu): cpu for cpu in reversed(cpus)}
    return sorted(first_of.values())
