"""The tree of powercap zones as the kernel shows it (Documentation/power/powercap/powercap.rst), and who may read it.

Zones are told apart by their `name` file, never by their number, which is hexadecimal (rule R2; the names are given
in drivers/powercap/intel_rapl_common.c): package-0, package-0-die-1, core, uncore, dram, psys, psys-1.
"""

from __future__ import annotations

import grp
import os
import pwd
import stat
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

UJ_PER_J = 1e6
PACKAGE, CORE, DRAM, PLATFORM = "cpu_package", "cpu_core", "dram", "psys"
DOMAINS = {"core": CORE, "uncore": "cpu_uncore", "dram": DRAM, "psys": PLATFORM}
ADDENDS = (
    PACKAGE,
    DRAM,
)  # of a run's energy: core and uncore lie inside package, psys is a boundary of its own
SAME_BY_MMIO = "intel-rapl-mmio"
PERMIT = (
    "let one group read energy_uj and max_energy_range_uj of every zone, not the world (CVE-2020-8694): "
    "chgrp and chmod 0440 at boot by a udev rule or tmpfiles.d, then log in anew; or run as root"
)
BARE_METAL = (
    "measure on bare metal with the intel_rapl_msr module loaded (before Linux 5.3: intel_rapl), "
    "or use a metered plug"
)


class Unusable(Exception):
    """The zones cannot be measured: what is wrong and what to do about it."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.reason, self.remedy = reason, remedy


@dataclass(frozen=True)
class Zone:
    """One powercap zone; `label` is unique, e.g. package-0 or package-0/dram; its counter wraps at `range_j`."""

    label: str
    domain: str
    folder: Path
    range_j: float
    note: str = ""

    def energy_uj(self) -> int:
        return int((self.folder / "energy_uj").read_text())


def read(root: Path) -> list[Zone]:
    """Every zone below a powercap root, parents first. Raises: Unusable, for nothing is measured in part."""
    folders = sorted(root.glob("intel-rapl:*"), key=_number)
    if not folders:
        raise Unusable(
            f"{root} has no intel-rapl zones (a virtual machine, or a CPU without RAPL)", BARE_METAL
        )
    names = {folder.name: _text(folder / "name") for folder in folders}
    zones = _unique([_zone(folder, names) for folder in folders])
    return _without_mmio(zones, {_text(one / "name") for one in root.glob(f"{SAME_BY_MMIO}:*")})


def _number(folder: Path) -> list[int]:
    """intel-rapl:1:a -> [1, 10]."""
    return [int(part, 16) for part in folder.name.split(":")[1:]]


def _zone(folder: Path, names: dict[str, str]) -> Zone:
    name = names[folder.name]
    parent = names.get(folder.name.rpartition(":")[0])
    range_uj = _integer(folder / "max_energy_range_uj")
    if range_uj <= 0:  # rule R6: an error, never 0
        raise Unusable(
            f"{folder / 'max_energy_range_uj'} reads {range_uj}: no wrap could be told", BARE_METAL
        )
    _integer(folder / "energy_uj")
    return Zone(f"{parent}/{name}" if parent else name, domain_of(name), folder, range_uj / UJ_PER_J)


def domain_of(name: str) -> str:
    """The domain that a zone's name stands for; an unknown name is a domain of its own, outside the boundary."""
    return PACKAGE if name.startswith("package") else DOMAINS.get(name.partition("-")[0], name)


def _unique(zones: list[Zone]) -> list[Zone]:
    """Labels that occur twice carry their folder's name: no zone may hide another."""
    count = Counter(zone.label for zone in zones)
    return [replace(z, label=f"{z.label} {z.folder.name}") if count[z.label] > 1 else z for z in zones]


def _without_mmio(zones: list[Zone], same: set[str]) -> list[Zone]:
    """drivers/thermal/intel/int340x: the package counter again, through memory-mapped registers; it is left out."""
    note = f"{SAME_BY_MMIO} shows the same register again and is left out"
    return [replace(zone, note=note) if zone.label in same else zone for zone in zones]


def _integer(file: Path) -> int:
    text = _text(file)
    try:
        return int(text)
    except ValueError:
        raise Unusable(f"{file} reads {text!r}, not a number", BARE_METAL) from None


def _text(file: Path) -> str:
    try:
        return file.read_text().strip()
    except PermissionError as error:
        raise Unusable(f"{file} cannot be read ({error.strerror}): {_rights(file)}", PERMIT) from error
    except OSError as error:
        raise Unusable(f"{file} cannot be read: {error.strerror}", BARE_METAL) from error


def _rights(file: Path) -> str:
    """owned by root:root, mode 0400; your groups: users, video."""
    try:
        status = file.stat()
    except OSError:
        return f"its folder is closed to you; your groups: {_own_groups()}"
    mode = f"{stat.S_IMODE(status.st_mode):04o}"
    return (
        f"owned by {_user(status.st_uid)}:{_group(status.st_gid)}, mode {mode}; your groups: {_own_groups()}"
    )


def _own_groups() -> str:
    return ", ".join(sorted({_group(number) for number in {os.getegid(), *os.getgroups()}}))


def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def _group(number: int) -> str:
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)
