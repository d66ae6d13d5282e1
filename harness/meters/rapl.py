"""CPU and memory energy from the kernel's powercap zones: every socket, and nothing twice.

Package zones and dram are the addends of the run's energy; core and uncore lie inside package, psys is a boundary
of its own (rule R2). Registers are never read directly (rule R4).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from harness.meters.base import EMULATOR_MARK, MeterConfiguration, MeterLost, Reader, Readings
from harness.meters.rapl_host import Host, read_host
from harness.meters.rapl_probe import Probe, probe
from harness.meters.rapl_zones import (
    ADDENDS,
    BARE_METAL,
    CORE,
    PACKAGE,
    PLATFORM,
    UJ_PER_J,
    Unusable,
    Zone,
    read,
)
from harness.records import Channel, ChannelKind, Provenance, Unavailable

MODELLED = "a virtual machine: the hypervisor's model, not a sensor (QEMU's rapl=true)"
FILTERING = "Intel energy filtering (MSR 0xBC) unknown: registers are not read"  # rules R4, R8
ONE_CORE = "on AMD the energy of one core only"
UNFED = "less than its packages at start-up: this board does not feed it, and nothing is held against it"


def find(configuration: MeterConfiguration) -> RaplMeter | Unavailable:
    """The meter over all zones, or why there is none: nothing is measured in part."""
    return find_on(configuration.powercap_root, read_host())


def find_on(root: Path, host: Host) -> RaplMeter | Unavailable:
    try:
        zones = read(root)
        seen = probe(zones, host.packages)
        _require_motion(zones, seen, host)
    except (Unusable, OSError, ValueError) as error:
        remedy = error.remedy if isinstance(error, Unusable) else BARE_METAL
        return Unavailable(meter="rapl", reason=str(error), remedy=remedy)
    return RaplMeter(zones, _channels(zones, seen, host, provenance(root, host)))


def provenance(root: Path, host: Host) -> Provenance:
    """Simulated on an emulated tree, estimated under a hypervisor (rule R7)."""
    if (root / EMULATOR_MARK).exists():
        return Provenance.SIMULATED
    return Provenance.ESTIMATED if host.virtual else Provenance.MEASURED


def _require_motion(zones: Sequence[Zone], seen: Probe, host: Host) -> None:
    """A counter that stands still is no measurement of 0 J (rule R7: KVM returns a constant)."""
    still = [zone for zone in zones if zone.domain == PACKAGE and zone.label in seen.constant]
    if still:
        where = "this is a virtual machine" if host.virtual else "the counter does not run"
        raise Unusable(f"{still[0].folder / 'energy_uj'} reads constant: {where}", BARE_METAL)


def _channels(zones: Sequence[Zone], seen: Probe, host: Host, source: Provenance) -> tuple[Channel, ...]:
    return tuple(
        Channel(
            name=f"rapl/{zone.label}",
            meter="rapl",
            unit="J",
            kind=ChannelKind.COUNTER,
            provenance=source,
            domain=zone.domain,
            boundary=zone.domain in ADDENDS and zone.label not in {*seen.repeats, *seen.constant},
            wraps_at=zone.range_j,
            update_s=period.seconds if period else None,
            update_jitter=period.jitter if period else None,
            covers=(PACKAGE,) if zone.label in seen.fed else (),
            note="; ".join(_notes(zone, seen, host, source)),
        )
        for zone in zones
        for period in [seen.updates.get(zone.label)]
    )


def _notes(zone: Zone, seen: Probe, host: Host, source: Provenance) -> list[str]:
    notes = {
        zone.note: bool(zone.note),
        MODELLED: source is Provenance.ESTIMATED,
        FILTERING: host.intel and zone.domain == PACKAGE,
        UNFED: zone.domain == PLATFORM and zone.label not in seen.fed,
        ONE_CORE: host.amd and zone.domain == CORE,
        "reads constant: not measured, not added": zone.label in seen.constant,
        f"the register of {seen.repeats.get(zone.label)} once more: not added": zone.label in seen.repeats,
    }
    return [note for note, applies in notes.items() if applies]


class RaplMeter:
    """Counters in joules of every zone."""

    needs_process = False
    period_s = None

    def __init__(self, zones: Sequence[Zone], channels: tuple[Channel, ...]) -> None:
        self._zones = tuple(zones)
        self.channels = channels

    def open(self, pid: int | None) -> Reader:
        return _ZoneReader(self._zones)


class _ZoneReader:
    """Keeps the files open from the first reading on: a reading is one system call a zone."""

    def __init__(self, zones: Sequence[Zone]) -> None:
        self._zones = zones
        self._files: list[tuple[str, int]] = []

    def __call__(self) -> Readings:
        try:
            if not self._files:
                self._open()
            return {name: int(os.pread(fd, 32, 0)) / UJ_PER_J for name, fd in self._files}
        except (OSError, ValueError) as error:
            raise MeterLost(f"a RAPL zone stopped answering: {error}") from error

    def _open(self) -> None:
        for zone in self._zones:
            fd = os.open(zone.folder / "energy_uj", os.O_RDONLY | os.O_CLOEXEC)
            self._files.append((f"rapl/{zone.label}", fd))

    def __del__(self) -> None:
        for _, fd in self._files:
            os.close(fd)
