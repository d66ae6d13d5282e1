"""MLPerf Tiny's energy traces, as EEMBC's EnergyRunner leaves them: microjoules at a fixed rate, and window borders.

`NAME-energy.bin`: a byte 0xF1, the samples a second, then each sample's energy, as little-endian 32-bit floats. They
are microjoules: the windows of 34 published traces (mlcommons/tiny_results_v1.0) sum up to their results.txt within
0.01 %. `NAME-timestamps.json`: the windows' borders in seconds from the first sample. Windows count from 1; in the odd
ones the device rests, in the even ones it works.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from harness.energy.series import NS_PER_S, Floats, Series
from harness.files.untrusted import parse_json
from harness.findings.codes import Code
from harness.importers.base import UNKNOWN, Imported, ImportedRun, SourceError
from harness.importers.files.text import LONGEST_S, content_of
from harness.importers.labels import label
from harness.records import Channel, ChannelKind, Finding, Provenance, Treatment

NAME = "mlperf-tiny"
SUMMARY = "*-energy.bin of EEMBC's EnergyRunner with *-timestamps.json beside it"
METER = "mlperf-tiny"
TRACE, BORDERS = "-energy.bin", "-timestamps.json"
VERSION = 0xF1
HEADER = np.dtype([("version", "u1"), ("rate_hz", "<f4")])
J_PER_UJ = 1e-6
RATES_HZ = (1.0, 1e6)
MOST_SAMPLES = 16_000_000  # four hours at 1 kHz
LARGEST_UJ = 1e9
MOST_BORDERS = 10_000


def read(path: Path) -> Imported:
    """A run per working window; the windows of a trace are its repetitions."""
    root = path.absolute() if path.is_dir() else path.absolute().parent
    traces = sorted(root.rglob(f"*{TRACE}")) if path.is_dir() else [path.absolute()]
    runs = [run for one in traces for run in _runs(root, one, len(traces) > 1)]
    return Imported(root, tuple(runs), (_session(len(traces)),) if runs else ())


def _session(traces: int) -> Finding:
    return Finding.of(
        Code.WINDOWS_OF_ONE_SESSION,
        f"the runs are windows of {traces} session{'s' * (traces > 1)} of a device that stayed on",
    )


def _runs(root: Path, path: Path, several: bool) -> Iterator[ImportedRun]:
    rate_hz, energies_uj = _trace(path)
    borders = path.with_name(path.name.removesuffix(TRACE) + BORDERS)
    times_s = _borders(borders, len(energies_uj) / rate_hz)
    where = str(path.parent.relative_to(root)) if several else ""
    negative = tuple(_negative(path, energies_uj))
    for number, first in enumerate(range(1, len(times_s) - 1, 2), 1):
        begin_s, end_s = times_s[first], times_s[first + 1]
        yield ImportedRun(
            treatment=_treatment(path, where),
            repetition=number,
            duration_ns=round((end_s - begin_s) * NS_PER_S),
            series=(_counter(energies_uj, rate_hz, begin_s, end_s),),
            sources=(path, borders),
            environment={"window": first + 1, "rate_hz": rate_hz},
            findings=negative,
        )


def _trace(path: Path) -> tuple[float, Floats]:
    """Samples a second, and the microjoules of each."""
    content = content_of(path)
    if not content:
        raise SourceError(path, "the file is empty")
    if content[0] != VERSION:
        raise SourceError(
            path, f"a trace of version 0x{content[0]:X}: only 0x{VERSION:X}, of microjoules, is known"
        )
    rest = len(content) - HEADER.itemsize
    if rest <= 0 or rest % 4:
        raise SourceError(path, "cut short: no whole number of samples after the header")
    if rest > 4 * MOST_SAMPLES:
        raise SourceError(path, f"more than the {MOST_SAMPLES} samples that are read")
    rate_hz = float(np.frombuffer(content, HEADER, 1)["rate_hz"][0])
    if not RATES_HZ[0] <= rate_hz <= RATES_HZ[1]:
        raise SourceError(path, f"{rate_hz:g} samples a second")
    energies_uj = np.frombuffer(content, "<f4", offset=HEADER.itemsize).astype(np.float64)
    odd = ~(np.abs(energies_uj) < LARGEST_UJ)  # nan compares as false
    if odd.any():
        raise SourceError(path, f"sample {int(odd.argmax())} is {energies_uj[odd.argmax()]:g} uJ")
    return rate_hz, energies_uj


def _borders(path: Path, length_s: float) -> list[float]:
    """Raises: SourceError where they are no windows within the trace: pairs of rest and work, one after the other."""
    try:
        told = parse_json(content_of(path))
    except (ValueError, UnicodeDecodeError):
        raise SourceError(path, "no JSON, or cut short") from None
    if not isinstance(told, list) or not all(type(one) in (int, float) for one in told):
        raise SourceError(path, "holds no list of seconds")
    if not 3 <= len(told) <= MOST_BORDERS or len(told) % 2 == 0:
        raise SourceError(
            path, f"{len(told)} borders: windows of rest and of work in turn have an odd number from 3 on"
        )
    if any(late <= early for early, late in pairwise(told)):
        raise SourceError(path, "a border is not after the one before")
    if told[0] < 0 or told[-1] > min(length_s, LONGEST_S):
        raise SourceError(path, f"borders from {told[0]:g} to {told[-1]:g} s, of a trace of {length_s:g} s")
    return [float(one) for one in told]


def _counter(energies_uj: Floats, rate_hz: float, begin_s: float, end_s: float) -> Series:
    """Joules since the window's begin, at its borders and between; a border is known to a sample."""
    total_j = np.concatenate(([0.0], np.cumsum(energies_uj))) * J_PER_UJ
    first, last = int(np.floor(begin_s * rate_hz)) + 1, int(np.ceil(end_s * rate_hz))
    edges = np.concatenate(([begin_s * rate_hz], np.arange(first, last), [end_s * rate_hz]))
    values_j = np.interp(edges, np.arange(len(total_j)), total_j)
    t_ns = np.round((edges - edges[0]) / rate_hz * NS_PER_S).astype(np.int64)
    sample_j = float(np.median(np.abs(energies_uj[max(0, first - 1) : last]))) * J_PER_UJ
    channel = Channel(
        name=f"{METER}/energy", meter=METER, unit="J", kind=ChannelKind.COUNTER, provenance=Provenance.MEASURED,
        domain="system", boundary=True, resolution=2 * sample_j or None, update_s=0.0,
        note="the sum of the trace's samples; resolution: two, as a window's borders are known to one to either side",
    )  # fmt: skip
    return Series(channel, t_ns, values_j - values_j[0])


def _negative(path: Path, energies_uj: Floats) -> Iterator[Finding]:
    below = int((energies_uj < 0).sum())
    if below:
        yield Finding.of(
            Code.NEGATIVE_SAMPLES, f"{below} of {len(energies_uj)} samples of {path.name} are negative"
        )


def _treatment(path: Path, where: str) -> Treatment:
    """A submission's folder: SYSTEM/BENCHMARK/energy/trace1-energy.bin."""
    parts = path.parts[:-1]
    named = parts[-2] if len(parts) > 1 and parts[-1] == "energy" else UNKNOWN
    framework = label(path).treatment.framework
    return Treatment(
        workload=named, framework=framework, version=UNKNOWN, stage="infer", dataset=UNKNOWN, device=UNKNOWN,
        settings={"folder": where} if where else {},
    )  # fmt: skip
