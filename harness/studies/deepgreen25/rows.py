"""The rows of combined_data.csv: CodeCarbon's columns, with language, network, data set, stage and epoch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from harness.importers.base import SourceError
from harness.importers.files.tables import SourceTable, table

FILE = "combined_data.csv"
NAMES = {"modello": "model", "dataset": "dataset", "fase": "stage", "language": "language"}
FACTS = ["experiment_id", "codecarbon_version", "tracking_mode"]
ENERGIES = ["cpu_energy", "gpu_energy", "ram_energy", "energy_consumed"]  # kWh
NUMBERS = ["duration", "cpu_power", "gpu_power", "ram_power", *ENERGIES]
CELL = ["language", "model", "dataset", "stage"]


def read(path: Path) -> pd.DataFrame:
    """CELL, epoch, FACTS and NUMBERS, one row an epoch. Raises: SourceError for a file that is not such a table."""
    rows = table(path / FILE if path.is_dir() else path)
    texts = {ours: list(rows.cells(theirs)) for theirs, ours in NAMES.items()}
    facts = {name: list(rows.cells(name)) for name in FACTS}
    numbers = {name: rows.numbers(name) for name in ("epoca", *NUMBERS)}
    found = pd.DataFrame({**texts, **facts, **numbers}).rename(columns={"epoca": "epoch"})
    _require_sound(rows, found)
    return found


def _require_sound(rows: SourceTable, found: pd.DataFrame) -> None:
    for name, wrong in (
        *((name, found[name] < 0) for name in NUMBERS),
        *((name, found[name] <= 0) for name in ("duration", "energy_consumed")),
    ):
        if wrong.any():
            bad = int(np.argmax(wrong))
            raise SourceError(rows.path, f"{name} is {found[name].iloc[bad]:g}", rows.line(bad))
