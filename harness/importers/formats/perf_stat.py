"""Texts of `perf stat`, one run each: joules of the package and the memory, and other counters."""

from __future__ import annotations

from pathlib import Path

from harness.importers.base import Imported, ImportedRun
from harness.importers.files import perf_text
from harness.importers.labels import labelled
from harness.records import Treatment

NAME = "perf-stat"
SUMMARY = "*.txt, one text of perf stat per run, named WORKLOAD_FRAMEWORK_N.txt"


def read(path: Path) -> Imported:
    return labelled(path, ("*.txt", "*.perf"), _run)


def _run(path: Path, treatment: Treatment, repetition: int) -> ImportedRun:
    totals = perf_text.read(path)
    return ImportedRun(treatment, repetition, totals.duration_ns, totals.series(), (path,))
