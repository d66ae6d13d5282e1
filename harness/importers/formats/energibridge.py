"""CSV files of EnergiBridge, one run each: its counters and gauges at its own time stamps, in milliseconds."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from harness.energy.series import Ints, Series
from harness.importers.base import Imported, ImportedRun, SourceError
from harness.importers.files.tables import SourceTable, table
from harness.importers.formats.nvidia_smi import started
from harness.importers.labels import labelled
from harness.records import Channel, ChannelKind, Outcome, Provenance, Treatment

NAME = "energibridge"
SUMMARY = "*.csv of EnergiBridge, one per run, named WORKLOAD_FRAMEWORK_N.csv"
METER = "energibridge"
NS_PER_MS = 1_000_000
LATEST_MS = 7e12  # the year 2191
WATT, JOULE = "W", "J"
# Columns of EnergiBridge 0.0.1 to 0.0.7, with what they are: unit, domain, scale to that unit.
KNOWN: dict[str, tuple[str, str, float]] = {
    r"CPU_ENERGY \(J\)|PACKAGE_ENERGY \(J\)|PACAKGE_ENERGY \(J\)": (JOULE, "cpu_package", 1.0),
    r"DRAM_ENERGY \(J\)": (JOULE, "dram", 1.0),
    r"PP0_ENERGY \(J\)|CORE\d+_ENERGY \(J\)": (JOULE, "cpu_core", 1.0),
    r"PP1_ENERGY \(J\)": (JOULE, "cpu_uncore", 1.0),
    r"SYSTEM_POWER \(Watts\)": (WATT, "system", 1.0),
    r"CPU_POWER \(Watts\)": (WATT, "cpu_package", 1.0),
    r"GPU\d+_POWER \(Watts\)": (WATT, "gpu", 1.0),
    r"GPU\d+_POWER": (WATT, "gpu", 1e-3),  # NVML's milliwatts, as they are
    r"GPU\d+_USAGE|CPU_USAGE_\d+": ("%", "usage", 1.0),
    r"GPU\d+_MEMORY_(USED|TOTAL)": ("bytes", "gpu", 2.0**20),
    r"GPU\d+_TEMPERATURE": ("degC", "gpu", 1.0),
    r"CPU_FREQUENCY_\d+|CORE\d+_FREQ \(MHZ\)": ("MHz", "clock", 1.0),
    r"CPU_TEMP_\d+": ("degC", "cpu_package", 1.0),
    r"CORE\d+_PSTATE": ("performance state", "clock", 1.0),
    r"CORE\d+_VOLT \(V\)": ("V", "clock", 1.0),
    r"(TOTAL|USED)_(MEMORY|SWAP)|PROCESS_(MEMORY|VIRTUAL_MEMORY)": ("bytes", "memory", 1.0),
    r"PROCESS_CPU_USAGE": ("%", "process", 1.0),
}
ADDENDS = ("cpu_package", "dram", "gpu")


def read(path: Path) -> Imported:
    return labelled(path, ("*.csv",), _run)


def _run(path: Path, treatment: Treatment, repetition: int) -> ImportedRun:
    rows = table(path)
    rows.only(["Delta", "Time", *KNOWN])
    t_ns = _times_ns(rows)
    names = [name for name in rows.header if name not in ("Delta", "Time")]
    series = tuple(_series(rows, name, t_ns, _boundary(rows.header)) for name in names)
    if not any(one.channel.boundary for one in series):
        raise SourceError(
            path, "no column of energy or power of the CPU, the memory, the GPU or the system", 1
        )
    reason = next((why for one in series if (why := _went_back(rows, one))), "")
    return ImportedRun(
        treatment, repetition, int(t_ns[-1] - t_ns[0]), series, (path,), begin_ns=int(t_ns[0]),
        outcome=Outcome.INVALID if reason else Outcome.OK, reason=reason, started=started(int(t_ns[0])),
    )  # fmt: skip


def _times_ns(rows: SourceTable) -> Ints:
    times_ms = rows.numbers("Time")
    if np.abs(times_ms).max() > LATEST_MS:
        raise SourceError(rows.path, f"a time of {np.abs(times_ms).max():g} ms")
    t_ns = times_ms.astype(np.int64) * NS_PER_MS
    if len(back := np.flatnonzero(np.diff(t_ns) < 0)):
        raise SourceError(rows.path, "time runs backwards", rows.line(int(back[0]) + 1))
    if len(t_ns) < 2 or t_ns[-1] == t_ns[0]:
        raise SourceError(rows.path, "cut short: fewer than two moments")
    return t_ns


def _boundary(header: tuple[str, ...]) -> set[str]:
    """The system alone where it is measured; else package, memory and GPUs, a counter before a gauge."""
    by_domain: dict[str, list[str]] = {}
    for name in header:
        if name not in ("Delta", "Time"):
            unit, domain, _ = _known(name)
            if unit in (JOULE, WATT):
                by_domain.setdefault(domain, []).append(name)
    if "system" in by_domain:
        return set(by_domain["system"])
    packages = by_domain.get("cpu_package", [])
    counted = [name for name in packages if _known(name)[0] == JOULE]
    rest = [name for domain in ADDENDS[1:] for name in by_domain.get(domain, [])]
    return {*(counted or packages)[:1], *rest}


def _known(name: str) -> tuple[str, str, float]:
    return next(what for pattern, what in KNOWN.items() if re.fullmatch(pattern, name))


def _series(rows: SourceTable, name: str, t_ns: Ints, boundary: set[str]) -> Series:
    unit, domain, scale = _known(name)
    values = rows.numbers(name) * scale
    slug = re.sub(r" \(.*\)", "", name).replace("PACAKGE", "PACKAGE").lower()
    channel = Channel(
        name=f"{METER}/{slug}",
        meter=METER,
        unit=unit,
        kind=ChannelKind.COUNTER if unit == JOULE else ChannelKind.GAUGE,
        provenance=Provenance.MEASURED,
        domain=domain,
        boundary=name in boundary,
        resolution=_step(rows, name, scale) if unit in (JOULE, WATT) else None,
        note="read in mW" if scale == 1e-3 else "",
    )
    return Series(channel, t_ns, values)


def _step(rows: SourceTable, name: str, scale: float) -> float | None:
    printed = rows.step(name)
    return printed and printed * scale


def _went_back(rows: SourceTable, one: Series) -> str:
    """A register went round, and the file does not say at which value: what the run took cannot be known."""
    if one.channel.kind is not ChannelKind.COUNTER or not one.channel.boundary:
        return ""
    back = np.flatnonzero(np.diff(one.values) < 0)
    if not len(back):
        return ""
    return f"{one.channel.name} falls in line {rows.line(int(back[0]) + 1)} of {rows.path.name}: the counter wrapped"
