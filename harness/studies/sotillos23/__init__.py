"""Sotillos et al. 2023, "Evaluating the energy efficiency of PyTorch and TensorFlow frameworks".

ResNets on CIFAR-10, CIFAR-100 and SVHN, ten epochs, two runs each, from the raw files and the per-epoch values of its
repository (jorgedelpozolerida/ComputerSystemsPerformance, Project2).
"""

from __future__ import annotations

from pathlib import Path

from harness import importers
from harness.studies.base import Reproduction
from harness.studies.sotillos23 import method
from harness.studies.sotillos23.audit import audit
from harness.studies.sotillos23.published import published_epochs
from harness.studies.sotillos23.tables import epoch_cells, training_cells

NAME = "sotillos23"
SUMMARY = (
    "a folder with *-ENERGY.csv, their *_MODEL.csv and the authors' per-epoch CSV files, where there are any"
)
NEEDS_FILES = True
NOTES = (
    "Their method: an epoch ends at its time stamp, the first begins with the log; power and utilisation are means of "
    "the readings inside, energy is mean power x duration, each averaged over the runs, rounded to three decimals "
    "before it is multiplied.",
    "Ours (columns named 'ours'): the integral of the timestamped power over the same interval, per run, then the "
    "mean; it weighs each reading with the time that it stands for and multiplies before it averages.",
    "Of a training: energy and time are sums over the ten epochs, power and utilisation their means in their method, "
    "means over the time in ours; accuracy is that of the last epoch.",
)


def reproduce(path: Path | None) -> Reproduction:
    assert path is not None
    imported = importers.read("sotillos", path)
    published = published_epochs(path)
    epochs = method.epochs_of(imported)
    theirs = method.theirs(epochs)
    cells = (*epoch_cells(theirs, epochs, published), *training_cells(theirs, epochs, published))
    return Reproduction(
        title="Evaluating the energy efficiency of PyTorch and TensorFlow frameworks (2023)",
        source="the authors' own per-epoch CSV files, beside the raw ones",
        cells=cells,
        audit=tuple(audit(imported, epochs, theirs, cells)),
        notes=NOTES,
    )
