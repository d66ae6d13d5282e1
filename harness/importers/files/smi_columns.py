"""The columns of nvidia-smi's CSV: what they are called here, their units, and what their cells say."""

from __future__ import annotations

import re

import numpy as np

from harness.energy.series import Floats
from harness.importers.base import SourceError
from harness.importers.files.tables import SourceTable
from harness.records import Channel, ChannelKind, Provenance
from harness.records.metering import MULTIPLES

METER = "nvidia-smi"
HEADER = re.compile(r"(?P<field>[a-z_][\w.]*)(?: \[(?P<unit>[^\]]+)\])?")
CELL = re.compile(r"P?(?P<value>-?\d+(?:[.,]\d+)?)\s*(?P<unit>W|mW|[KMG]iB|%|[MG]?Hz|ms|s)?")
ABSENT = re.compile(r"\[?(?:N/A|Not Supported|Unknown Error|Requested functionality has been deprecated)\]?")
LONGEST_CELL = 40
TEXTS = (
    "index", "count", "name", "gpu_name", "uuid", "gpu_uuid", "serial", "pci.bus_id", "gpu_bus_id", "driver_version",
    "vbios_version", "compute_mode", "persistence_mode", "compute_cap",
)  # fmt: skip
SCALES = {"mW": 1e-3, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "GHz": 1e3, "ms": 1e-3}
UNITS = {"mW": "W", "KiB": "bytes", "MiB": "bytes", "GiB": "bytes", "GHz": "MHz", "ms": "s"}
NAMES = {
    "power.draw": "power", "power.draw.instant": "power_instant", "power.draw.average": "power_average",
    "temperature.gpu": "temperature", "memory.used": "memory_used", "utilization.gpu": "gpu_utilisation",
    "utilization.memory": "memory_utilisation", "clocks.sm": "sm_clock", "clocks.current.sm": "sm_clock",
    "clocks.mem": "memory_clock", "clocks.current.memory": "memory_clock",
    "power.limit": "power_limit", "enforced.power.limit": "power_limit_enforced",
}  # fmt: skip
POWERS = ("power", "power_instant", "power_average")  # the first of them is what is integrated
UNITLESS = {"temperature": "degC", "pstate": "performance state"}


def field_of(log: SourceTable, header: str) -> str:
    """Raises: SourceError for what is no header of nvidia-smi."""
    match = HEADER.fullmatch(header)
    if match is None:
        raise SourceError(log.path, f"unknown column '{header}': the log needs nvidia-smi's own header", 1)
    return match["field"]


def channel_of(gpu: str, field: str, unit: str, stamped: bool) -> Channel:
    name = NAMES.get(field, field.replace(".", "_"))
    return Channel(
        name=f"{METER}/{gpu}/{name}",
        meter=METER,
        unit=unit or UNITLESS.get(name, "1"),
        kind=ChannelKind.GAUGE,
        provenance=Provenance.MEASURED,
        domain="gpu",
        note=f"{field}{'' if stamped else '; the file has no time stamps: one reading a second'}",
    )


def values_of(log: SourceTable, header: str) -> tuple[Floats, str]:
    """A column's readings and their unit, one for all; nan where the card has no such reading: never 0."""
    match = HEADER.fullmatch(header)
    unit = match["unit"] if match else None
    values, absent = np.full(len(log), np.nan), list[int]()
    for row, cell in enumerate(log.cells(header)):
        if ABSENT.fullmatch(cell):
            absent.append(row)
            continue
        found = CELL.fullmatch(cell)
        if found is None or len(cell) > LONGEST_CELL:
            raise SourceError(log.path, f"{header} is '{cell}', no number", log.line(row))
        unit = unit or found["unit"]
        if found["unit"] and found["unit"] != unit:
            raise SourceError(log.path, f"mixed units of {header}: '{cell}'", log.line(row))
        values[row] = float(found["value"].replace(",", "."))
    if header.startswith("power.draw") and 0 < len(absent) < len(log):  # integrating would bridge the gap
        raise SourceError(log.path, f"{header} is absent between readings", log.line(absent[0]))
    if header.startswith("power.draw") and len(negative := np.flatnonzero(values < 0)):
        raise SourceError(log.path, f"{header} is below 0", log.line(int(negative[0])))
    told = UNITS.get(unit or "", unit or "")
    if MULTIPLES.fullmatch(told):
        raise SourceError(
            log.path, f"{header} is in {unit}, which nvidia-smi never writes: have it log anew", 1
        )
    return values * SCALES.get(unit or "", 1.0), told
