"""Power and energy sensors of the board: ACPI power meters, NVIDIA Grace, INA chips, laptop batteries.

Linux, Documentation/hwmon/sysfs-interface.rst: power in microwatts, energy in microjoules, intervals in
milliseconds. What a sensor covers is known to the board's maker alone, so that each is a boundary of its own,
never added to another (rule R10).
"""

from __future__ import annotations

import errno
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from harness.meters import gpu_chips
from harness.meters.base import EMULATOR_MARK, MeterConfiguration, MeterLost, Reader, Readings
from harness.records import Channel, ChannelKind, Provenance, Unavailable

MICRO = 1e-6
MS_PER_S = 1000
SENSOR = re.compile(r"(?P<sensor>(?:power|energy)\d+)_(?P<kind>input|average)")
# The sensor had nothing to say at this moment; drivers pass on what the bus or the firmware answers.
PASSING = (errno.EAGAIN, errno.EBUSY, errno.ENODATA, errno.ETIMEDOUT)
REMEDY = "let your group read the sensors' files (a udev rule), or run as root"


@dataclass(frozen=True)
class Sensor:
    """One file; `chip` and `label` are as the kernel names them, `interval_s` as the driver documents it."""

    file: Path
    chip: str
    label: str
    interval_s: float | None

    @property
    def is_counter(self) -> bool:
        return self.file.name.startswith("energy")

    @property
    def channel(self) -> str:
        return f"hwmon/{self.chip}/{self.file.name}"


def find(configuration: MeterConfiguration) -> HwmonMeter | Unavailable:
    """The meter over all sensors that can be read, or why there is none."""
    root = configuration.hwmon_root
    sensors = _sensors(root)
    if not sensors:
        return Unavailable(
            meter="hwmon",
            reason=f"no chip under {root} has a power or energy sensor",
            remedy="load the board's driver (acpi_power_meter, ina2xx), or use a metered plug",
        )
    refused = {sensor: answer for sensor in sensors if (answer := _refused(sensor))}
    readable = [sensor for sensor in sensors if sensor not in refused]
    if not readable:
        reasons = "; ".join(f"{one.meter} {one.reason}" for one in refused.values())
        return Unavailable(meter="hwmon", reason=reasons, remedy=REMEDY)
    simulated = (root / EMULATOR_MARK).exists()
    provenance = Provenance.SIMULATED if simulated else Provenance.MEASURED
    return HwmonMeter(readable, provenance, tuple(refused.values()))


def _sensors(root: Path) -> list[Sensor]:
    """Older drivers (acpi_power_meter) keep their files in the device's folder."""
    of_gpus = {card.counter for card in gpu_chips.cards(root)}  # harness.meters.intel
    chips = [chip for chip in sorted(root.glob("hwmon*")) if any(_files(chip))]
    names = {chip: _text(chip / "name") or _text(chip / "device" / "name") or chip.name for chip in chips}
    shared = {name for name, number in Counter(names.values()).items() if number > 1}
    return [
        _sensor(file, f"{names[chip]}@{_place(chip)}" if names[chip] in shared else names[chip])
        for chip in chips
        for file in _files(chip)
        if file not in of_gpus
    ]


def _files(chip: Path) -> list[Path]:
    for folder in (chip, chip / "device"):
        found = sorted(file for file in folder.glob("*_*") if SENSOR.fullmatch(file.name))
        if found:
            return found
    return []


def _place(chip: Path) -> str:
    """The device's address (0000:03:00.0, 4-0040), which outlives a reboot; the chip's number does not."""
    device = chip / "device"
    return device.resolve().name if device.is_symlink() else chip.name


def _sensor(file: Path, chip: str) -> Sensor:
    sensor = file.name.rpartition("_")[0]
    # Grace: the ACPI meter tells in its OEM information what it measures.
    label = _text(file.with_name(f"{sensor}_label")) or _text(file.with_name(f"{sensor}_oem_info")) or sensor
    own_ms, chips_ms = (
        _text(file.with_name(f"{sensor}_average_interval")),
        _text(file.with_name("update_interval")),
    )
    interval_ms = own_ms if file.name.endswith("average") and own_ms else chips_ms
    return Sensor(file, chip, label, int(interval_ms) / MS_PER_S if interval_ms.isdigit() else None)


def _text(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:
        return ""


def _refused(sensor: Sensor) -> Unavailable | None:
    try:
        int(sensor.file.read_text())
    except (OSError, ValueError) as error:
        return Unavailable(meter=sensor.channel, reason=f"cannot be read: {error}", remedy=REMEDY)
    return None


class HwmonMeter:
    """Gauges in watts, counters in joules; `left_out` says which sensors could not be read, and why."""

    needs_process = False

    def __init__(
        self, sensors: list[Sensor], provenance: Provenance, left_out: tuple[Unavailable, ...] = ()
    ) -> None:
        self._sensors, self.left_out = sensors, left_out
        self.channels = tuple(_channel(sensor, provenance) for sensor in sensors)
        self.period_s = min((one.interval_s for one in sensors if one.interval_s), default=None)

    def open(self, pid: int | None) -> Reader:
        return self._read

    def _read(self) -> Readings:
        """By path, so that a chip that is gone is seen to be gone."""
        readings = {sensor.channel: _value(sensor) for sensor in self._sensors}
        return {name: value for name, value in readings.items() if value is not None}


def _channel(sensor: Sensor, provenance: Provenance) -> Channel:
    return Channel(
        name=sensor.channel,
        meter="hwmon",
        unit="J" if sensor.is_counter else "W",
        kind=ChannelKind.COUNTER if sensor.is_counter else ChannelKind.GAUGE,
        provenance=provenance,
        domain=f"hwmon:{sensor.chip}/{sensor.label}",
        update_s=sensor.interval_s,
        resolution=MICRO,
        note=sensor.label,
    )


def _value(sensor: Sensor) -> float | None:
    try:
        return int(sensor.file.read_text()) * MICRO
    except OSError as error:
        if error.errno in PASSING:
            return None
        raise MeterLost(f"{sensor.channel} stopped answering: {error.strerror}") from error
    except ValueError as error:
        raise MeterLost(f"{sensor.channel} stopped answering: {error}") from error
