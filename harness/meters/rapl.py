"""CPU and memory energy from the kernel's powercap zones (Linux, Documentation/power/powercap/powercap.rst).

Zones are told apart by their `name` file (rule R2): package zones and dram are addends of the run's energy;
core and uncore lie inside package, psys is a boundary of its own.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from harness.meters.base import MeterLost, MeterSettings, Reader, Readings
from harness.records import Channel, ChannelKind, Provenance, Unavailable

UJ_PER_J = 1e6
DOMAINS = {"core": "cpu_core", "uncore": "cpu_uncore", "dram": "dram", "psys": "psys"}
ADDENDS = ("cpu_package", "dram")
EMULATOR_MARK = "joulemark-emulator"  # in the root of an emulated tree
REMEDY = "let your group read energy_uj and max_energy_range_uj of every zone (a udev rule), or run as root"


@dataclass(frozen=True)
class Zone:
    """One powercap zone; `label` is unique, e.g. package-0 or package-0/dram."""

    label: str
    domain: str
    folder: Path
    range_j: float


def find(settings: MeterSettings) -> RaplMeter | Unavailable:
    """The meter over all readable zones, or why there is none: nothing is measured in part."""
    root = settings.powercap_root
    folders = sorted(root.glob("intel-rapl:*"), key=_zone_number)
    if not folders:
        return Unavailable(
            meter="rapl",
            reason=f"{root} has no intel-rapl zones (a virtual machine, or a CPU without RAPL)",
            remedy="measure on bare metal with the intel_rapl_common module loaded, or use a metered plug",
        )
    try:
        zones = _zones(folders)
    except (OSError, ValueError) as error:
        return Unavailable(meter="rapl", reason=f"a zone cannot be read: {error}", remedy=REMEDY)
    simulated = (root / EMULATOR_MARK).exists()
    return RaplMeter(zones, Provenance.SIMULATED if simulated else Provenance.MEASURED)


def _zone_number(folder: Path) -> list[int]:
    """intel-rapl:1:0 -> [1, 0]; the kernel writes the numbers in hexadecimal."""
    return [int(part, 16) for part in folder.name.split(":")[1:]]


def _zones(folders: list[Path]) -> list[Zone]:
    names = {folder.name: (folder / "name").read_text().strip() for folder in folders}
    return [_zone(folder, names) for folder in folders]


def _zone(folder: Path, names: dict[str, str]) -> Zone:
    name = names[folder.name]
    parent = names.get(folder.name.rpartition(":")[0])
    range_j = int((folder / "max_energy_range_uj").read_text()) / UJ_PER_J
    int((folder / "energy_uj").read_text())  # readable? CVE-2020-8694 made it root's
    domain = "cpu_package" if name.startswith("package") else DOMAINS.get(name, name)
    return Zone(f"{parent}/{name}" if parent else name, domain, folder, range_j)


class RaplMeter:
    """Counters in joules of every zone."""

    needs_process = False
    period_s = None

    def __init__(self, zones: list[Zone], provenance: Provenance) -> None:
        self._zones = zones
        self.channels = tuple(_channel(zone, provenance) for zone in zones)

    def open(self, pid: int | None) -> Reader:
        return _ZoneReader(self._zones)


def _channel(zone: Zone, provenance: Provenance) -> Channel:
    return Channel(
        name=f"rapl/{zone.label}",
        meter="rapl",
        unit="J",
        kind=ChannelKind.COUNTER,
        provenance=provenance,
        domain=zone.domain,
        boundary=zone.domain in ADDENDS,
        wraps_at=zone.range_j,
    )


class _ZoneReader:
    """Keeps the files open: a read is one system call a zone."""

    def __init__(self, zones: list[Zone]) -> None:
        paths = [(f"rapl/{zone.label}", zone.folder / "energy_uj") for zone in zones]
        self._files = [(name, os.open(path, os.O_RDONLY | os.O_CLOEXEC)) for name, path in paths]

    def __call__(self) -> Readings:
        try:
            return {name: int(os.pread(fd, 32, 0)) / UJ_PER_J for name, fd in self._files}
        except (OSError, ValueError) as error:
            raise MeterLost(f"a RAPL zone stopped answering: {error}") from error

    def __del__(self) -> None:
        for _, fd in self._files:
            os.close(fd)
