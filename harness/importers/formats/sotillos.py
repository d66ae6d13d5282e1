"""Sotillos 2023, "Evaluating the energy efficiency of PyTorch and TensorFlow frameworks": its pairs of CSV files.

Per run, `*-ENERGY.csv` is a log of nvidia-smi, one line a second, and `*_MODEL.csv` has a row at each epoch's end.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import numpy as np

from harness.devices import CUDA
from harness.energy.series import Ints
from harness.importers.base import UNKNOWN, Imported, ImportedRun, SourceError
from harness.importers.files import smi_csv
from harness.importers.files.tables import SourceTable, table
from harness.importers.formats.nvidia_smi import started
from harness.importers.labels import FRAMEWORKS
from harness.inventory.tasks import CLASSIFIED
from harness.records import Outcome, Treatment
from suite.protocol import Event

NAME = "sotillos"
SUMMARY = "runN-DEVICE-epochN-batchsizeN-FRAMEWORK-DATASET-resnetN-ENERGY.csv with its _MODEL.csv"
NAMED = re.compile(
    r"run(?P<run>\d+)-(?P<device>\w+)-epoch(?P<epochs>\d+)-batchsize(?P<batch>\d+)-(?P<framework>\w+)-"
    r"(?P<dataset>\w+)-resnet(?P<depth>\d+)(?:-ENERGY|_MODEL)\.csv"
)
METRICS = tuple(one.name for one in CLASSIFIED.metrics)
MODEL_COLUMNS = ("epoch", *METRICS, "timestamp")
DEVICES = {"gpu": CUDA}


def read(path: Path) -> Imported:
    """In the order of time."""
    root = path.absolute()
    logs = sorted(root.rglob("*-ENERGY.csv"))
    lonely = {one for one in root.rglob("*_MODEL.csv") if not _partner(one, "_MODEL", "-ENERGY").exists()}
    if lonely:
        raise SourceError(_partner(min(lonely), "_MODEL", "-ENERGY"), "the file is missing")
    runs = sorted((_run(log) for log in logs), key=lambda run: run.begin_ns or 0)
    return Imported(root, tuple(runs), task=CLASSIFIED)


def _partner(path: Path, ours: str, theirs: str) -> Path:
    return path.with_name(path.name.replace(f"{ours}.csv", f"{theirs}.csv"))


def _run(energy: Path) -> ImportedRun:
    """From the log's first line, where the program was started, to the end of the last epoch."""
    match = NAMED.fullmatch(energy.name)
    if match is None:
        raise SourceError(energy, f"its name is not {SUMMARY}")
    model = _partner(energy, "-ENERGY", "_MODEL")
    log, epochs = smi_csv.read(energy), table(model)
    begin_ns, end_ns = log.window
    ends_ns = _ends(epochs, begin_ns)
    covered = int(ends_ns[-1]) <= end_ns
    return ImportedRun(
        treatment=_treatment(match),
        repetition=int(match["run"]),
        duration_ns=int(ends_ns[-1]) - begin_ns,
        series=log.series,
        sources=(energy, model),
        begin_ns=begin_ns,
        events=_events(epochs, begin_ns, ends_ns, int(match["epochs"])),
        outcome=Outcome.OK if covered else Outcome.INVALID,
        reason="" if covered else f"{energy.name} ends before the last epoch does",
        started=started(begin_ns),
        environment=log.facts,
        lost=log.missing,
    )


def _treatment(match: re.Match[str]) -> Treatment:
    settings: dict[str, int | float | str] = {
        "batch_size": int(match["batch"]), "depth": int(match["depth"]), "epochs": int(match["epochs"])
    }  # fmt: skip
    name = FRAMEWORKS.get(match["framework"].lower(), match["framework"].lower())
    return Treatment(
        workload="resnet", framework=name, version=UNKNOWN, stage="train", dataset=match["dataset"].lower(),
        device=DEVICES.get(match["device"], match["device"]), settings=settings,
    )  # fmt: skip


def _ends(epochs: SourceTable, begin_ns: int) -> Ints:
    """The end of each epoch, to the second. Raises: SourceError where one does not lie behind the one before."""
    epochs.only(MODEL_COLUMNS)
    ends_ns = epochs.times_ns("timestamp")
    if len(early := np.flatnonzero(np.diff(ends_ns, prepend=begin_ns) <= 0)):
        bad = int(early[0])
        text = epochs.cells("timestamp")[bad]
        raise SourceError(epochs.path, f"'{text}' is no time after the one before", epochs.line(bad))
    return ends_ns


def _events(epochs: SourceTable, begin_ns: int, ends_ns: Ints, planned: int) -> tuple[Event, ...]:
    """An epoch begins where the one before ended; the first holds all that came before it, too."""
    _require_epochs(epochs, planned)
    values = {name: epochs.numbers(name) for name in METRICS}
    borders = [begin_ns, *map(int, ends_ns)]
    found = []
    for row, (begin, end) in enumerate(pairwise(borders)):
        phase = {"name": "train", "epoch": row + 1}
        told = {name: float(values[name][row]) for name in METRICS}
        found += [
            Event(begin, "phase", {**phase, "edge": "begin"}),
            Event(end, "phase", {**phase, "edge": "end"}),
            Event(end, "metrics", {"epoch": row + 1, "metric": METRICS[0], "values": told}),
        ]
    return tuple(found)


def _require_epochs(epochs: SourceTable, planned: int) -> None:
    """They count from 0, one a row, and are as many as the file's name says."""
    numbers = epochs.numbers("epoch")
    if len(wrong := np.flatnonzero(numbers != np.arange(len(numbers)))):
        bad = int(wrong[0])
        raise SourceError(epochs.path, f"epoch {numbers[bad]:g} where {bad} was due", epochs.line(bad))
    if len(epochs) != planned:
        cause = f"cut short: {len(epochs)} epochs, its name says {planned}"
        raise SourceError(epochs.path, cause, epochs.line(len(epochs) - 1))
