"""Logs of nvidia-smi, one run each: CSV with its own header, or power readings alone, one a line."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from harness.devices import CUDA
from harness.energy.series import NS_PER_S
from harness.importers.base import UNKNOWN, Imported, ImportedRun
from harness.importers.files import smi_csv, smi_text
from harness.importers.files.text import lines
from harness.importers.labels import labelled
from harness.records import Treatment

NAME = "nvidia-smi"
SUMMARY = "*.csv or *.txt of nvidia-smi --query-gpu, one per run, named WORKLOAD_FRAMEWORK_N.csv"


def read(path: Path) -> Imported:
    return labelled(path, ("*.csv", "*.txt", "*.log"), _run, device=CUDA)


def _run(path: Path, treatment: Treatment, repetition: int) -> ImportedRun:
    if smi_text.READING.fullmatch(lines(path)[0]):
        return _powers_alone(path, treatment, repetition)
    log = smi_csv.read(path)
    begin_ns, end_ns = log.window
    return ImportedRun(
        treatment, repetition, end_ns - begin_ns, log.series, (path,), begin_ns=begin_ns if log.stamped else None,
        started=started(begin_ns) if log.stamped else UNKNOWN, environment=log.facts, lost=log.missing,
    )  # fmt: skip


def _powers_alone(path: Path, treatment: Treatment, repetition: int) -> ImportedRun:
    """N readings stand for N seconds."""
    powers_w = smi_text.read(path)
    duration_ns = len(powers_w) * int(NS_PER_S)
    return ImportedRun(treatment, repetition, duration_ns, smi_text.series(powers_w, 0, duration_ns), (path,))


def started(begin_ns: int) -> str:
    """In the log's own local time, without a zone."""
    return str(pd.Timestamp(begin_ns).isoformat(timespec="seconds"))
