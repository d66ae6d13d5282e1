"""Cells per epoch and per training, in their method and in ours."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import pandas as pd

from harness.studies.base import Cell
from harness.studies.sotillos23.method import KEY, UNITS
from harness.studies.sotillos23.published import VALUES

EPOCHS, TOTALS = "per epoch", "training"


def epoch_cells(theirs: pd.DataFrame, published: pd.DataFrame) -> Iterator[Cell]:
    """Every value of every epoch; equal to three decimals, or it does not match."""
    joined = theirs.merge(published, on=[*KEY, "epoch_number"], how="outer", suffixes=("", "_published"))
    for row in joined.to_dict("records"):
        place = f"{_name(row)} epoch {int(row['epoch_number'])}"
        for name in VALUES:
            printed, ours = _known(row[f"{name}_published"]), _known(row[name])
            yield Cell(EPOCHS, place, name, printed, ours, UNITS.get(name, ""))


def total_cells(theirs: pd.DataFrame, epochs: pd.DataFrame, published: pd.DataFrame) -> Iterator[Cell]:
    """Sums and means over the ten epochs: the authors' from their per-epoch values, beside both methods."""
    ours = _integrated(epochs)
    printed = {_key(row): row for row in _summed(published).to_dict("records")}
    for row in _summed(theirs).to_dict("records"):
        authors = printed.get(_key(row), {})
        for name in ("energy", "total_time", "power", "gpu_util", "accuracy"):
            within = 10 * 0.5e-3 if name in ("energy", "total_time") else 0.5e-3
            yield Cell(
                TOTALS, _name(row), name, _known(authors.get(name)), row[name], UNITS.get(name, ""), within
            )
        yield Cell(TOTALS, _name(row), "energy, ours", None, ours.get(_key(row)), "J")


def _summed(rows: pd.DataFrame) -> pd.DataFrame:
    grouped = rows.sort_values("epoch_number").groupby(KEY, sort=True)
    sums = grouped[["energy", "total_time"]].sum()
    means = grouped[["power", "gpu_util"]].mean()
    return pd.concat([sums, means, grouped["accuracy"].last()], axis=1).reset_index()


def _integrated(epochs: pd.DataFrame) -> dict[tuple[Any, ...], float]:
    """Joules of a training: summed over the epochs of each run, then the mean over its runs."""
    runs = epochs.groupby([*KEY, "run"])["integral_j"].sum(min_count=1)
    means = runs.groupby(KEY).mean()
    return {_key(row): row["integral_j"] for row in means.reset_index().to_dict("records")}


def _key(row: Mapping[Hashable, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in KEY)


def _name(row: Mapping[Hashable, Any]) -> str:
    return f"{row['framework']} {row['dataset']} {row['model']} batch {int(row['batch_size'])}"


def _known(value: Any) -> float | None:
    return None if value is None or pd.isna(value) else float(value)
