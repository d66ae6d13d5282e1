"""MLPerf Training v4.0, one node of eight H100 (Supermicro): Llama 2 70B LoRA with an AC and a DC meter.

Ten runs, each read by both meters, from the logs of mlcommons/training_results_v4.0.
"""

from __future__ import annotations

from pathlib import Path

from harness import importers
from harness.studies.base import Reproduction
from harness.studies.smc_mlperf_training40.audit import audit
from harness.studies.smc_mlperf_training40.rule import runs_of
from harness.studies.smc_mlperf_training40.tables import cells

NAME = "smc_mlperf_training40"
SUMMARY = "the folder of smc-ac-power and smc-dc-power, or one of them"
NEEDS_FILES = True
NOTES = (
    "The benchmark's rule: of a run, the sum of each reading x the time since the one before (the first: since the "
    "log's start mark), divided by the log's length, times the timed run; then the mean of the runs without the "
    "fastest and the slowest, times the scaling factor.",
    "Ours (columns named 'ours'): the integral of the power over the timed run alone, averaged and scaled likewise.",
)


def reproduce(path: Path | None) -> Reproduction:
    assert path is not None
    imported = importers.read("mlperf-training", path)
    runs = runs_of(imported)
    return Reproduction(
        title="MLPerf Training v4.0, power: Llama 2 70B LoRA on eight H100",
        source="the submission's two results, by the AC and by the DC meter",
        cells=tuple(cells(runs)),
        audit=tuple(audit(imported, runs)),
        notes=NOTES,
    )
