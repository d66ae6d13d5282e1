"""CodeCarbon's emissions.csv: one run a row. Its CPU and memory are modelled or measured, and it does not say which.

So its energy is `estimated` as a whole; the GPU's, which it reads from NVML, is kept apart and measured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from harness.devices import CUDA, HOST
from harness.energy.series import NS_PER_S, Floats, Series
from harness.importers.base import UNKNOWN, Imported, ImportedRun, SourceError
from harness.importers.files.tables import SourceTable, table
from harness.importers.files.text import LONGEST_S
from harness.importers.formats.nvidia_smi import started
from harness.importers.labels import label
from harness.records import Channel, ChannelKind, Provenance, Treatment

NAME = "codecarbon"
SUMMARY = "an emissions.csv of CodeCarbon 2 or 3"
METER = "codecarbon"
J_PER_KWH = 3.6e6
MOST_KWH = 1e9  # no run takes a large power station's month
KNOWN = (
    "timestamp", "project_name", "run_id", "experiment_id", "duration", "emissions", "emissions_rate",
    "(cpu|gpu|ram)_(power|energy|utilization_percent)", "ram_used_gb", "energy_consumed", "water_consumed",
    "country_(name|iso_code)", "region", "cloud_(provider|region)", "os", "python_version", "codecarbon_version",
    "(cpu|gpu)_(count|model)", "longitude", "latitude", "ram_total_size", "tracking_mode", "on_cloud", "pue", "wue",
)  # fmt: skip
FACTS = (
    "emissions", "country_iso_code", "region", "os", "python_version", "codecarbon_version", "cpu_model", "gpu_model",
    "ram_total_size", "tracking_mode", "pue",
)  # fmt: skip
PARTS = {
    "energy_consumed": (
        "codecarbon_total",
        Provenance.ESTIMATED,
        "CPU, memory and GPU, as CodeCarbon adds them",
    ),
    "cpu_energy": ("cpu_model", Provenance.ESTIMATED, "RAPL, or a model of the CPU: the file does not say"),
    "ram_energy": ("dram_model", Provenance.ESTIMATED, "a model of the memory's size"),
    "gpu_energy": ("gpu", Provenance.MEASURED, "NVML"),
}


def read(path: Path) -> Imported:
    """Every emissions*.csv of a folder, or one file."""
    root = path.absolute()
    files = sorted(root.rglob("*.csv")) if root.is_dir() else [root]
    runs = [run for file in files for run in _runs(file)]
    return Imported(root if root.is_dir() else root.parent, tuple(runs))


def _runs(path: Path) -> Iterator[ImportedRun]:
    rows = table(path)
    rows.only(KNOWN)
    durations_s, ends_ns = rows.numbers("duration"), rows.times_ns("timestamp")
    energies_j = {name: _energies_j(rows, name) for name in PARTS if _has(rows, name)}
    seen: Counter[str] = Counter()
    for row in _last_rows(rows):
        project = rows.cells("project_name")[row]
        if not 0 < durations_s[row] < LONGEST_S:
            raise SourceError(path, f"a duration of {durations_s[row]:g} s", rows.line(row))
        seen[project] += 1
        duration_ns = round(durations_s[row] * NS_PER_S)
        begin_ns = int(ends_ns[row]) - duration_ns  # a row is written at its end
        yield ImportedRun(
            treatment=_treatment(path, project, rows, row),
            repetition=seen[project],
            duration_ns=duration_ns,
            begin_ns=begin_ns,
            series=tuple(
                _counter(name, begin_ns, duration_ns, values[row], rows.step(name))
                for name, values in energies_j.items()
            ),
            sources=(path,),
            started=started(begin_ns),
            environment={name: rows.cells(name)[row] for name in FACTS if name in rows},
        )


def _last_rows(rows: SourceTable) -> list[int]:
    """A tracker that flushes writes a run's totals so far, again and again: its last row is the run."""
    return sorted({run_id: row for row, run_id in enumerate(rows.cells("run_id"))}.values())


def _energies_j(rows: SourceTable, name: str) -> Floats:
    energies_kwh = rows.numbers(name)
    if len(wrong := np.flatnonzero((energies_kwh < 0) | (energies_kwh > MOST_KWH))):
        bad = int(wrong[0])
        raise SourceError(rows.path, f"{name} is {energies_kwh[bad]:g} kWh", rows.line(bad))
    return energies_kwh * J_PER_KWH


def _has(rows: SourceTable, name: str) -> bool:
    """Old versions lack parts; the total must be there."""
    return name == "energy_consumed" or (name in rows and all(rows.cells(name)))


def _treatment(path: Path, project: str, rows: SourceTable, row: int) -> Treatment:
    """The project's name says what ran, as a file's name does elsewhere."""
    gpus = rows.cells("gpu_count")[row] if "gpu_count" in rows else ""
    named = label(path.parent / f"{project}.csv", CUDA if gpus not in ("", "0") else HOST).treatment
    return named.model_copy(update={"workload": project if named.workload == UNKNOWN else named.workload})


def _counter(name: str, begin_ns: int, duration_ns: int, energy_j: float, step_kwh: float | None) -> Series:
    domain, provenance, note = PARTS[name]
    channel = Channel(
        name=f"{METER}/{name}",
        meter=METER,
        unit="J",
        kind=ChannelKind.COUNTER,
        provenance=provenance,
        domain=domain,
        boundary=name == "energy_consumed",
        resolution=step_kwh and step_kwh * J_PER_KWH,
        note=f"{note}; a total: two readings",
    )
    t_ns = np.array([begin_ns, begin_ns + duration_ns], dtype=np.int64)
    readings_j: Floats = np.array([0.0, energy_j])
    return Series(channel, t_ns, readings_j)
