"""Logs of `nvidia-smi --query-gpu=... --format=csv`: one gauge per column and GPU, at the log's own time stamps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from harness.energy.series import NS_PER_S, Ints, Series
from harness.importers.base import SourceError
from harness.importers.files.smi_columns import POWERS, TEXTS, channel_of, field_of, values_of
from harness.importers.files.tables import SourceTable, table
from harness.records import Unavailable

STAMP = "timestamp"


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
        field = field_of(log, header)
        if field not in TEXTS and header != STAMP:
            found += _column(log, header, field, gpus, t_ns, stamped)
    if len({one.channel.name for one in found}) < len(found):
        raise SourceError(path, "two columns are the same quantity", 1)
    kept = [one for one in found if len(one.t_ns)]
    _require_power(log, kept)
    lost = tuple(_unavailable(one) for one in found if not len(one.t_ns))
    facts = {name: ", ".join(dict.fromkeys(log.cells(name))) for name in TEXTS if name in log}
    return SmiLog(tuple(_with_boundary(kept)), facts, lost, stamped)


def _gpus(log: SourceTable) -> dict[str, Ints]:
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


def _stamps(log: SourceTable) -> Ints:
    t_ns = log.times_ns(STAMP)
    if len(back := np.flatnonzero(np.diff(t_ns) < 0)):
        raise SourceError(log.path, "time runs backwards", log.line(int(back[0]) + 1))
    return t_ns


def _a_second_apart(gpus: dict[str, Ints]) -> Ints:
    t_ns = np.empty(sum(map(len, gpus.values())), dtype=np.int64)
    for rows in gpus.values():
        t_ns[rows] = np.arange(len(rows)) * int(NS_PER_S)
    return t_ns


def _column(
    log: SourceTable, header: str, field: str, gpus: dict[str, Ints], t_ns: Ints, stamped: bool
) -> list[Series]:
    values, unit = values_of(log, header)
    known = np.isfinite(values)
    kept = {gpu: rows[known[rows]] for gpu, rows in gpus.items()}
    return [
        Series(channel_of(gpu, field, unit, stamped), t_ns[rows], values[rows]) for gpu, rows in kept.items()
    ]


def _require_power(log: SourceTable, found: list[Series]) -> None:
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
