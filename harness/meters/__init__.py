"""One file per meter, one line in the registry. A meter reads; `harness.energy.joules` computes."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from harness.errors import UsageError
from harness.meters import command, estimate, gpu_chips, gpus, host, hwmon, perf, process, pyrapl, rapl
from harness.meters.base import CommandSpec, Meter, MeterSettings
from harness.records import Channel, PowerModel, Unavailable

POWERCAP_ROOT = "/sys/class/powercap"

OF_GPUS = tuple(vendor.find for vendor in gpus.VENDORS.values())
FINDERS = (rapl.find, perf.find, pyrapl.find, *OF_GPUS, hwmon.find, host.find, process.find)
SUBSTITUTE = estimate.find  # used only where nothing measures energy


@dataclass(frozen=True)
class Meters:
    """What this machine offers, and what it lacks with reason and remedy."""

    found: tuple[Meter, ...]
    unavailable: tuple[Unavailable, ...]

    @property
    def channels(self) -> tuple[Channel, ...]:
        return tuple(channel for meter in self.found for channel in meter.channels)

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
        return not any(meter.needs_process and c.boundary for meter in self.found for c in meter.channels)


def settings(power_model: PowerModel) -> MeterSettings:
    """The user's configuration, all by environment variables, which the sampling process inherits.

    $JOULEMARK_METERS names a TOML file with a table [[command]] per program that prints watts or joules;
    $JOULEMARK_POWERCAP_ROOT and $JOULEMARK_HWMON_ROOT move the kernel's trees.
    """
    return MeterSettings(
        Path(os.environ.get("JOULEMARK_POWERCAP_ROOT", POWERCAP_ROOT)),
        power_model,
        gpu_chips.hwmon_root(),
        _commands(os.environ.get("JOULEMARK_METERS")),
    )


def _commands(path: str | None) -> tuple[CommandSpec, ...]:
    """Raises: UsageError naming the file and the key."""
    if not path:
        return ()
    try:
        tables = tomllib.loads(Path(path).read_text()).get("command", [])
        return TypeAdapter(tuple[CommandSpec, ...]).validate_python(tables)
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{path}: command.{where}: {first['msg']}") from error


def find_all(settings: MeterSettings) -> Meters:
    """Every meter of this machine; the estimate only where no channel gives energy."""
    answers = [*(finder(settings) for finder in FINDERS), *map(command.find, settings.commands)]
    found: list[Meter] = [one for one in answers if not isinstance(one, Unavailable)]
    if not any(channel.boundary for meter in found for channel in meter.channels):
        found += [one for one in [SUBSTITUTE(settings)] if not isinstance(one, Unavailable)]
    lacking = [one for one in answers if isinstance(one, Unavailable)]
    lacking += [one for meter in found if isinstance(meter, hwmon.HwmonMeter) for one in meter.left_out]
    return Meters(tuple(found), tuple(lacking))
