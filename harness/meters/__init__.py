"""One file per meter, one line in the registry. A meter reads; `harness.energy` computes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from harness.meters import estimate, process, rapl
from harness.meters.base import Meter, MeterSettings
from harness.records import Channel, PowerModel, Unavailable

POWERCAP_ROOT = "/sys/class/powercap"

FINDERS = (rapl.find, process.find)
SUBSTITUTE = estimate.find  # used only where nothing measures energy


@dataclass(frozen=True)
class Meters:
    """What this machine offers, and what it lacks with reason and remedy."""

    found: tuple[Meter, ...]
    unavailable: tuple[Unavailable, ...]

    @property
    def channels(self) -> tuple[Channel, ...]:
        return tuple(channel for meter in self.found for channel in meter.channels)


def settings(power_model: PowerModel) -> MeterSettings:
    """The user's configuration: $JOULEMARK_POWERCAP_ROOT moves the powercap tree."""
    return MeterSettings(Path(os.environ.get("JOULEMARK_POWERCAP_ROOT", POWERCAP_ROOT)), power_model)


def find_all(settings: MeterSettings) -> Meters:
    """Every meter of this machine; the estimate only where no channel gives energy."""
    answers = [finder(settings) for finder in FINDERS]
    found: list[Meter] = [one for one in answers if not isinstance(one, Unavailable)]
    if not any(channel.boundary for meter in found for channel in meter.channels):
        found += [one for one in [SUBSTITUTE(settings)] if not isinstance(one, Unavailable)]
    return Meters(tuple(found), tuple(one for one in answers if isinstance(one, Unavailable)))
