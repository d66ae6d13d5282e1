"""The authors' own per-epoch values, from the CSV files beside the raw ones."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from harness.importers.files.tables import table
from harness.importers.labels import FRAMEWORKS
from harness.studies.sotillos23.method import KEY, MEANS

VALUES = [*MEANS, "energy"]
NAMES = ("per_epoch_*.csv", "cleandata_perepoch_*.csv")  # here, and in the repository


def published_epochs(path: Path) -> pd.DataFrame:
    """KEY, epoch_number and VALUES; without rows where no such file lies below `path`.

    Raises: SourceError for a file that is not such a table.
    """
    files = sorted(
        {one for name in NAMES for one in [*path.rglob(name), *path.parent.glob(f"dataout/*/{name}")]}
    )
    frames = [_read(one) for one in files]
    columns = [*KEY, "epoch_number", *VALUES]
    return pd.concat(frames, ignore_index=True)[columns] if frames else pd.DataFrame(columns=columns)


def _read(path: Path) -> pd.DataFrame:
    rows = table(path)
    numbers = {name: rows.numbers(name) for name in ("epoch_number", "batch_size", *VALUES)}
    return pd.DataFrame(numbers).assign(
        framework=[FRAMEWORKS.get(name, name) for name in rows.cells("framework")],
        dataset=[name.lower() for name in rows.cells("dataset")],
        model=list(rows.cells("model")),
    )
