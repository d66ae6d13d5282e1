"""Logs of `nvidia-smi --query-gpu=... --format=csv`: one gauge per column and GPU, at the log's own time stamps."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from harness.importers.base import SourceError
from harness.importers.files.text import Table, table
from harness.records import Channel, ChannelKind, Provenance, Unavailable
from harness.series import NS_PER_S, Floats, Ints, Series

METER = "nvidia-smi"
HEADER = re.compile(r"(?P<field>[a-z_][\w.]*)(?: \[(?P<unit>[^\]]+)\])?")
CELL = re.compile(r"P?(?P<value>-?\d+(?:[.,]\d+)?)\s*(?P<unit>W|mW|[KMG]iB|%|[MG]?Hz|ms|s)?")
ABSENT = re.compile(r"\[?(?:N/A|Not Supported|Unknown Error|Requested functionality has been deprecated)\]?")
STAMP = "timestamp"
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


@dataclass(frozen=True)
class SmiLog:
    """`stamped`: times are the log's own, ns since 1970 of a clock without a zone; else from 0, a second apart."""

    series: tuple[Series, ...]
    facts: dict[str, str]
    missing: tuple[Unavailable, ...]
    stamped: bool

    @property
    def window(self) -> tuple[int, int]:
        """What every GPU's power covers."""
        powers = [one.t_ns for one in self.series if one.channel.boundary]
        return max(int(t_ns[0]) for t_ns in powers), min(int(t_ns[-1]) for t_ns in powers)


def read(path: Path) -> SmiLog:
    """Raises: SourceError for a column or a cell that cannot be understood, and for time that runs backwards."""
    log = table(path)
    gpus = _gpus(log)
    stamped = STAMP in log
    t_ns = _stamps(log) if stamped else _a_second_apart(gpus)
    found: list[Series] = []
    for header in log.header:
        field = _field(log, header)
        if field not in TEXTS and header != STAMP:
            found += _column(log, header, field, gpus, t_ns, stamped)
    kept = [one for one in found if len(one.t_ns)]
    _require_power(log, kept)
    lost = tuple(_unavailable(one) for one in found if not len(one.t_ns))
    facts = {name: ", ".join(dict.fromkeys(log.cells(name))) for name in TEXTS if name in log}
    return SmiLog(tuple(_with_boundary(kept)), facts, lost, stamped)


def _field(log: Table, header: str) -> str:
    match = HEADER.fullmatch(header)
    if match is None:
        raise SourceError(log.path, f"unknown column '{header}': the log needs nvidia-smi's own header", 1)
    return match["field"]


def _gpus(log: Table) -> dict[str, Ints]:
    """The rows of each GPU, by its label."""
    key = next(
        (name for name in ("index", "uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id") if name in log), None
    )
    if key is None:
        return {"gpu-0": np.arange(len(log), dtype=np.int64)}
    cells = np.array(log.cells(key))
    names = dict.fromkeys(cells.tolist())
    labels = {one: f"gpu-{one if key == 'index' else place}" for place, one in enumerate(names)}
    return {label: np.flatnonzero(cells == one).astype(np.int64) for one, label in labels.items()}


def _stamps(log: Table) -> Ints:
    cells = pd.Series(log.cells(STAMP))
    parsed = pd.to_datetime(cells, format="mixed", errors="coerce")
    if parsed.isna().any():
        bad = int(parsed.isna().to_numpy().argmax())
        raise SourceError(log.path, f"'{cells[bad]}' is no time stamp", log.line(bad))
    t_ns = parsed.astype("datetime64[ns]").to_numpy().astype(np.int64)
    if len(back := np.flatnonzero(np.diff(t_ns) < 0)):
        raise SourceError(log.path, "time runs backwards", log.line(int(back[0]) + 1))
    return t_ns


def _a_second_apart(gpus: dict[str, Ints]) -> Ints:
    t_ns = np.empty(sum(map(len, gpus.values())), dtype=np.int64)
    for rows in gpus.values():
        t_ns[rows] = np.arange(len(rows)) * int(NS_PER_S)
    return t_ns


def _column(
    log: Table, header: str, field: str, gpus: dict[str, Ints], t_ns: Ints, stamped: bool
) -> list[Series]:
    values, unit = _values(log, header)
    name = NAMES.get(field, field.replace(".", "_"))
    channel = Channel(
        name=f"{METER}/{name}",
        meter=METER,
        unit=unit or UNITLESS.get(name, "1"),
        kind=ChannelKind.GAUGE,
        provenance=Provenance.MEASURED,
        domain="gpu",
        note=f"{field}{'' if stamped else '; the file has no time stamps: one reading a second'}",
    )
    known = np.isfinite(values)
    return [
        Series(channel.model_copy(update={"name": f"{METER}/{gpu}/{name}"}), t_ns[kept], values[kept])
        for gpu, rows in gpus.items()
        for kept in [rows[known[rows]]]
    ]


def _values(log: Table, header: str) -> tuple[Floats, str]:
    """nan where the card has no such reading: never 0. One unit for the whole column."""
    match = HEADER.fullmatch(header)
    unit = match["unit"] if match else None
    values, absent = np.full(len(log), np.nan), list[int]()
    for row, cell in enumerate(log.cells(header)):
        if ABSENT.fullmatch(cell):
            absent.append(row)
            continue
        found = CELL.fullmatch(cell)
        if found is None:
            raise SourceError(log.path, f"{header} is '{cell}', no number", log.line(row))
        unit = unit or found["unit"]
        if found["unit"] and found["unit"] != unit:
            raise SourceError(log.path, f"mixed units of {header}: '{cell}'", log.line(row))
        values[row] = float(found["value"].replace(",", "."))
    if header.startswith("power.draw") and 0 < len(absent) < len(log):  # integrating would bridge the gap
        raise SourceError(log.path, f"{header} is absent between readings", log.line(absent[0]))
    return values * SCALES.get(unit or "", 1.0), UNITS.get(unit or "", unit or "")


def _require_power(log: Table, found: list[Series]) -> None:
    powers = [one for one in found if one.channel.name.rpartition("/")[2] in POWERS]
    if not powers:
        raise SourceError(log.path, "no power.draw in it", 1)
    if any(one.channel.unit != "W" for one in powers):
        raise SourceError(log.path, "power.draw has no unit: neither W nor mW", 1)


def _with_boundary(found: list[Series]) -> list[Series]:
    """Of several readings of one GPU's power, one is in the energy."""
    names = {one.channel.name for one in found}
    chosen = set()
    for gpu in {name.rpartition("/")[0] for name in names}:
        chosen |= set([f"{gpu}/{power}" for power in POWERS if f"{gpu}/{power}" in names][:1])
    return [
        replace(one, channel=one.channel.model_copy(update={"boundary": one.channel.name in chosen}))
        for one in found
    ]


def _unavailable(one: Series) -> Unavailable:
    return Unavailable(
        meter=one.channel.name, reason="the log says that the card has no such reading", remedy="none"
    )
