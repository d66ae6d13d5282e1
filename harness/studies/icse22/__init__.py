"""Georgiou et al., "Green AI: Do Deep Learning Frameworks Have Different Costs?" (ICSE 2022).

Six models in PyTorch and TensorFlow, ten runs each, from the files of its artifact (stefanos1316/ICSE_2022_artifact);
doi 10.1145/3510003.3510221.
"""

from __future__ import annotations

from pathlib import Path

from harness import importers
from harness.studies.base import Reproduction
from harness.studies.icse22 import api_costs, correlation, means, profiles, rank_sum
from harness.studies.icse22.audit import audit
from harness.studies.icse22.runs import runs_of

NAME = "icse22"
SUMMARY = "a folder with measurements_train, measurements_inference and .prof files, or some of them"
NEEDS_FILES = True
NOTES = (
    "Tables 2 and 3: arithmetic means of ten runs; package and memory as perf stat printed them, the GPU as the sum of "
    "its readings x 1 s ('gpu_j, ours': their mean x the run's time). p: two-sided rank-sum test of PyTorch's ten runs "
    "against TensorFlow's, by the normal approximation with continuity correction; A12: how often a run of PyTorch "
    "costs more than one of TensorFlow, printed folded (the larger of A and 1 - A) and cut to one decimal.",
    "Table 4: Spearman's rank correlation of energy and run time. The printed value is compared with that of the six "
    "printed means, cut to two decimals; beside it, over the files' six means, all sixty runs and the ten runs of each "
    "model.",
    "Tables 5 to 8: functions of at least 1 % of the own time of a .prof file; share of the total own time.",
    "The printed values of Tables 3, 6 and 8 are not at hand here.",
)


def reproduce(path: Path | None) -> Reproduction:
    assert path is not None
    imported = importers.read("prengdl", path)
    runs = runs_of(imported)
    cells = (
        *means.cells(runs),
        *rank_sum.cells(runs),
        *correlation.cells(runs),
        *api_costs.cells(imported),
        *profiles.cells(imported),
    )
    return Reproduction(
        title="Green AI: Do Deep Learning Frameworks Have Different Costs? (ICSE 2022)",
        source="Tables 2, 4, 5, 7 and abstract of doi 10.1145/3510003.3510221, and the artifact's list of functions",
        cells=cells,
        audit=tuple(audit(imported, runs, cells)),
        notes=NOTES,
    )
