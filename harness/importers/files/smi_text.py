"""Power readings alone, one a line, as `nvidia-smi --query-gpu=power.draw --format=csv,noheader` prints them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from harness.energy.series import NS_PER_S, Floats, Series
from harness.importers.base import SourceError
from harness.importers.files.text import lines
from harness.records import Channel, ChannelKind, Provenance

METER = "nvidia-smi"
READING = re.compile(r"\s*(?P<value>\d+(?:[.,]\d+)?)\s*(?P<unit>W|mW)\s*")
WATTS = {"W": 1.0, "mW": 1e-3}
GAUGE = Channel(
    name=f"{METER}/gpu-0/power",
    meter=METER,
    unit="W",
    kind=ChannelKind.GAUGE,
    provenance=Provenance.MEASURED,
    domain="gpu",
    note="the file has no time stamps: one reading a second from the run's begin",
)
COUNTER = Channel(
    name=f"{METER}/gpu-0/energy",
    meter=METER,
    unit="J",
    kind=ChannelKind.COUNTER,
    provenance=Provenance.DERIVED,
    domain="gpu",
    boundary=True,
    note="the sum of the readings x 1 s, spread evenly over the run: the file has no time stamps",
)


def read(path: Path) -> Floats:
    """Watts, shape (readings,). Raises: SourceError for a line that is no power, or in another unit than the first."""
    text = lines(path)
    powers_w, first = np.empty(len(text)), None
    for line, one in enumerate(text, 1):
        match = READING.fullmatch(one)
        if match is None:
            raise SourceError(path, f"'{one.strip()[:40]}' is no power with its unit", line)
        first = first or match["unit"]
        if match["unit"] != first:
            raise SourceError(path, f"mixed units: {match['unit']} here, {first} above", line)
        powers_w[line - 1] = float(match["value"].replace(",", ".")) * WATTS[first]
    return powers_w


def series(powers_w: Floats, begin_ns: int, duration_ns: int) -> tuple[Series, ...]:
    """The gauge a second apart, and the energy that the readings stand for, over the whole run."""
    steps = np.arange(len(powers_w), dtype=np.int64) * int(NS_PER_S)
    spread = np.linspace(begin_ns, begin_ns + duration_ns, len(powers_w) + 1).round().astype(np.int64)
    energy_j = np.concatenate(([0.0], np.cumsum(powers_w * 1.0)))
    return Series(GAUGE, begin_ns + steps, powers_w), Series(COUNTER, spread, energy_j)
