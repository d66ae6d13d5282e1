"""What the kernel says of the CPU, as far as it changes what its energy counters mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")
CPUS = Path("/sys/devices/system/cpu")
AMD = ("AuthenticAMD", "HygonGenuine")
INTEL = ("GenuineIntel",)


@dataclass(frozen=True)
class Host:
    """`package_of` maps logical CPU to physical package; it is empty where the kernel does not tell."""

    vendor: str
    virtual: bool
    package_of: Mapping[int, int]

    @property
    def packages(self) -> int:
        return len(set(self.package_of.values()))

    @property
    def amd(self) -> bool:
        return self.vendor in AMD

    @property
    def intel(self) -> bool:
        return self.vendor in INTEL


def read_host(cpuinfo: Path = CPUINFO, cpus: Path = CPUS) -> Host:
    """The `hypervisor` flag is CPUID leaf 1, ECX bit 31, which hypervisors set and bare metal does not."""
    try:
        text = cpuinfo.read_text()
    except OSError:
        text = ""
    fields = dict(_field(line) for line in reversed(text.splitlines()) if ":" in line)
    virtual = "hypervisor" in fields.get("flags", "").split()
    return Host(fields.get("vendor_id", ""), virtual, dict(_packages(cpus)))


def _field(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.strip(), value.strip()


def _packages(cpus: Path) -> list[tuple[int, int]]:
    """Of the CPUs that are online (Documentation/admin-guide/cputopology.rst)."""
    files = cpus.glob("cpu[0-9]*/topology/physical_package_id")
    return [(int(file.parts[-3].removeprefix("cpu")), int(file.read_text())) for file in files]
