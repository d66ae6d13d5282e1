"""Cells per epoch and per training, in their method and in ours."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import pandas as pd

from harness.studies.base import PrintedCell
from harness.studies.matching import Printed
from harness.studies.sotillos23.method import KEY, UNITS, ours
from harness.studies.sotillos23.published import VALUES

EPOCHS, TOTALS = "per epoch", "training"
EPOCH = [*KEY, "epoch_number"]
OF_TRAINING = ["energy", "total_time", "power", "gpu_util", "accuracy"]
OURS = ["energy", "power", "gpu_util", "accuracy"]
HALF_A_DIGIT = 0.5e-3
Rows = dict[tuple[Any, ...], dict[Hashable, Any]]


def epoch_cells(theirs: pd.DataFrame, epochs: pd.DataFrame, published: pd.DataFrame) -> Iterator[PrintedCell]:
    """Every value of every epoch, equal to three decimals or no match; below, ours of the same epoch."""
    return _cells(EPOCHS, EPOCH, VALUES, theirs, ours(epochs, EPOCH), published, {})


def training_cells(
    theirs: pd.DataFrame, epochs: pd.DataFrame, published: pd.DataFrame
) -> Iterator[PrintedCell]:
    """Sums and means over the ten epochs of what was rounded before, and ours."""
    within = {name: (10 if name in ("energy", "total_time") else 1) * HALF_A_DIGIT for name in OF_TRAINING}
    return _cells(
        TOTALS, KEY, OF_TRAINING, _training(theirs), ours(epochs, KEY), _training(published), within
    )


def _cells(
    table: str,
    by: list[str],
    values: list[str],
    theirs: pd.DataFrame,
    ours_: pd.DataFrame,
    published: pd.DataFrame,
    within: Mapping[str, float],
) -> Iterator[PrintedCell]:
    found, integrated, printed = (_rows(frame, by) for frame in (theirs, ours_, published))
    for key in dict.fromkeys([*found, *printed]):
        row, told = _name(key), printed.get(key, {})
        for name in values:
            value = _known(found.get(key, {}).get(name))
            yield PrintedCell(
                table, row, name, _printed(told.get(name)), value, UNITS.get(name, ""), within.get(name, 0.0)
            )
        for name in OURS:
            value = _known(integrated.get(key, {}).get(name))
            yield PrintedCell(
                table,
                row,
                f"{name}, ours",
                _printed(told.get(name)),
                value,
                UNITS.get(name, ""),
                compared=False,
            )


def _rows(frame: pd.DataFrame, by: list[str]) -> Rows:
    return {tuple(row[name] for name in by): row for row in frame.to_dict("records")}


def _training(rows: pd.DataFrame) -> pd.DataFrame:
    grouped = rows.sort_values("epoch_number").groupby(KEY, sort=True)
    sums = grouped[["energy", "total_time"]].sum()
    means = grouped[["power", "gpu_util"]].mean()
    return pd.concat([sums, means, grouped["accuracy"].last()], axis=1).reset_index()


def _name(key: tuple[Any, ...]) -> str:
    framework, dataset, model, batch, *epoch = key
    return f"{framework} {dataset} {model} batch {int(batch)}" + "".join(
        f" epoch {int(one)}" for one in epoch
    )


def _printed(value: Any) -> Printed | None:
    known = _known(value)
    return None if known is None else Printed.exactly(known)


def _known(value: Any) -> float | None:
    return None if value is None or pd.isna(value) else float(value)
