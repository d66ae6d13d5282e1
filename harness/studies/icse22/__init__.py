"""Georgiou et al., "Green AI: Do Deep Learning Frameworks Have Different Costs?" (ICSE 2022).

Six models in PyTorch and TensorFlow, ten runs each, from the files of its artifact (stefanos1316/ICSE_2022_artifact);
doi 10.1145/3510003.3510221.
"""

from __future__ import annotations

from pathlib import Path

from harness import importers
from harness.studies.base import Reproduction
from harness.studies.icse22 import correlation, means, profiles
from harness.studies.icse22.audit import audit
from harness.studies.icse22.runs import runs_of

NAME = "icse22"
SUMMARY = "a folder with measurements_train, measurements_inference and .prof files, or some of them"
NEEDS_FILES = True
NOTES = (
    "Tables 2 and 3: arithmetic means of ten runs; package and memory as perf stat printed them, the GPU as the sum of "
    "its readings x 1 s ('gpu_j, ours': their mean x the run's time). p: two-sided rank-sum test of PyTorch's ten runs "
    "against TensorFlow's; A12: how often a run of PyTorch costs more than one of TensorFlow. A cell matches within "
    "1 J or 1 s.",
    "Table 4: Spearman's rank correlation of energy and run time, over the six means, over all sixty runs, and over "
    "the ten runs of each model, since the raw files do not tell which was printed.",
    "Tables 5 to 8: functions of at least 1 % of the own time of a .prof file; share of the total own time.",
    "The printed values of Tables 3 to 8 and the p and A12 of Table 2 are not at hand here.",
)


def reproduce(path: Path | None) -> Reproduction:
    assert path is not None
    imported = importers.read("prengdl", path)
    runs = runs_of(imported)
    cells = (*means.cells(runs), *correlation.cells(runs), *profiles.cells(imported))
    return Reproduction(
        title="Green AI: Do Deep Learning Frameworks Have Different Costs? (ICSE 2022)",
        source="Table 2 and the abstract of doi 10.1145/3510003.3510221, and the artifact's list of functions",
        cells=cells,
        audit=tuple(audit(runs, cells)),
        notes=NOTES,
    )
