"""One file per meter, one line in the registry. A meter reads; `harness.energy.joules` computes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from harness.meters import (
    command,
    configured,
    estimate,
    gpu_chips,
    gpus,
    host,
    http,
    hwmon,
    perf,
    process,
    pyrapl,
    rapl,
)
from harness.meters.base import Meter, MeterConfiguration
from harness.meters.boundary import chosen
from harness.records import DEFAULT_BOUNDARY, Channel, PowerModel, Unavailable

POWERCAP_ROOT = "/sys/class/powercap"

OF_GPUS = tuple(vendor.find for vendor in gpus.VENDORS.values())
FINDERS = (rapl.find, perf.find, pyrapl.find, *OF_GPUS, hwmon.find, host.find, process.find)
SUBSTITUTE = estimate.find  # used only where nothing measures energy


@dataclass(frozen=True)
class Meters:
    """What this machine offers, and what it lacks with reason and remedy."""

    found: tuple[Meter, ...]
    unavailable: tuple[Unavailable, ...]
    chosen: tuple[
        Channel, ...
    ] = ()  # the channels as the user chose among them; none: as the meters have them

    @property
    def channels(self) -> tuple[Channel, ...]:
        return self.chosen or tuple(channel for meter in self.found for channel in meter.channels)

    @property
    def boundary(self) -> str:
        """What the run's energy holds, "cpu_package + dram (measured)"; empty without energy."""
        addends = [channel for channel in self.channels if channel.boundary]
        domains = " + ".join(dict.fromkeys(channel.domain for channel in addends))
        return f"{domains} ({', '.join(sorted({one.provenance for one in addends}))})" if addends else ""

    def foreign_on_gpu(self, pid: int) -> tuple[str, ...]:
        """Processes that compute on a GPU and do not descend from `pid`; none without a GPU meter."""
        meters = {channel.meter for channel in self.channels}
        found = gpus.foreign_processes(meters, process.processes_below(pid))
        return tuple(f"{one.name} (pid {one.pid}) on {one.gpu}" for one in found)

    @property
    def see_the_idle_machine(self) -> bool:
        """Whether all of the energy is there to be read while nothing runs."""
        ours = {channel.name for meter in self.found if meter.needs_process for channel in meter.channels}
        return not any(channel.boundary and channel.name in ours for channel in self.channels)


def configuration(power_model: PowerModel, boundary: str = DEFAULT_BOUNDARY) -> MeterConfiguration:
    """The user's configuration, all by environment variables, which the sampling process inherits.

    $JOULEMARK_METERS names a TOML file (harness.meters.configured); $JOULEMARK_POWERCAP_ROOT and
    $JOULEMARK_HWMON_ROOT move the kernel's trees. Raises: UsageError for a file that cannot be read.
    """
    own = configured.read(os.environ.get("JOULEMARK_METERS"))
    return MeterConfiguration(
        powercap_root=Path(os.environ.get("JOULEMARK_POWERCAP_ROOT", POWERCAP_ROOT)),
        power_model=power_model,
        hwmon_root=gpu_chips.hwmon_root(),
        commands=own.command,
        devices=own.http,
        wall=own.wall,
        boundary=boundary,
    )


def find_all(configuration: MeterConfiguration) -> Meters:
    """Every meter of this machine, with the boundary that was asked for.

    Raises: UsageError where this machine has not what was asked for.
    """
    there = offered(configuration)
    if configuration.boundary == DEFAULT_BOUNDARY:
        return there
    wall = configuration.wall or _firsts(there.found)
    return replace(there, chosen=chosen(configuration.boundary, there.channels, wall, there.unavailable))


def offered(configuration: MeterConfiguration) -> Meters:
    """Every meter that reads something here; the estimate only where nothing measures and no boundary was asked for."""
    answers = [
        *(finder(configuration) for finder in FINDERS),
        *map(command.find, configuration.commands),
        *map(http.find, configuration.devices),
    ]
    found: list[Meter] = [one for one in answers if not isinstance(one, Unavailable)]
    measures = any(channel.boundary for meter in found for channel in meter.channels)
    if configuration.boundary == DEFAULT_BOUNDARY and not measures:
        found += [one for one in [SUBSTITUTE(configuration)] if not isinstance(one, Unavailable)]
    lacking = [one for one in answers if isinstance(one, Unavailable)]
    lacking += [one for meter in found if isinstance(meter, hwmon.HwmonMeter) for one in meter.left_out]
    return Meters(tuple(found), tuple(lacking))


def _firsts(found: Iterable[Meter]) -> tuple[str, ...]:
    """What is the wall where the user does not say it: what each plug on the network says first."""
    return tuple(meter.channels[0].name for meter in found if isinstance(meter, http.HttpMeter))
