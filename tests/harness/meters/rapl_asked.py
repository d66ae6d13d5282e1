"""Emulated powercap zones as the RAPL meter answers for them, on hosts of several makes."""

from __future__ import annotations

from pathlib import Path

from harness.meters import rapl
from harness.meters.rapl_host import Host
from harness.records import Channel, PowerModel, Unavailable
from tests.emulators.powercap import EmulatedZone
from tests.emulators.waveforms import constant

POWER_MODEL = PowerModel(idle_w=10, busy_cpu_w=5)
INTEL = Host("GenuineIntel", virtual=False, package_of={0: 0, 1: 1})
ONE_PACKAGE = Host("GenuineIntel", virtual=False, package_of={0: 0, 1: 0})
AMD = Host("AuthenticAMD", virtual=False, package_of={0: 0, 1: 0})
ZONES = [
    EmulatedZone("intel-rapl:0", "package-0", constant(60.0), range_uj=20_000_000, offset_uj=19_000_000),
    EmulatedZone("intel-rapl:0:0", "core", constant(40.0)),
    EmulatedZone("intel-rapl:0:1", "uncore", constant(2.0)),
    EmulatedZone("intel-rapl:0:2", "dram", constant(5.0)),
    EmulatedZone("intel-rapl:1", "package-1", constant(30.0)),
    EmulatedZone("intel-rapl:1:0", "dram", constant(4.0)),
    EmulatedZone("intel-rapl:a", "psys", constant(150.0)),
]


def found(root: Path, host: Host = INTEL) -> rapl.RaplMeter:
    meter = rapl.find_on(root, host)
    assert isinstance(meter, rapl.RaplMeter), meter
    return meter


def lacking(root: Path, host: Host = INTEL) -> Unavailable:
    answer = rapl.find_on(root, host)
    assert isinstance(answer, Unavailable)
    return answer


def by_name(meter: rapl.RaplMeter) -> dict[str, Channel]:
    return {channel.name.removeprefix("rapl/"): channel for channel in meter.channels}


def addends(meter: rapl.RaplMeter) -> set[str]:
    return {name for name, channel in by_name(meter).items() if channel.boundary}
