"""The four parts of a data set, checked for what every workload relies on."""

from __future__ import annotations

import numpy as np

from harness.datasets.base import Array
from harness.errors import DataError

Split = tuple[Array, Array]


def checked(
    name: str,
    train: Split,
    test: Split,
    shape: tuple[int, ...],
    classes: int,
    dtype: type[np.generic] = np.uint8,
) -> dict[str, Array]:
    """Features [n, *shape] and labels [n] of two splits -> train_x, train_y, test_x, test_y, labels as int64.

    Raises: DataError naming the data set, the split and what is wrong.
    """
    for split, (x, y) in {"training": train, "test": test}.items():
        _check(f"{name}: the {split} split", x, y, (shape, np.dtype(dtype)), classes)
    (train_x, train_y), (test_x, test_y) = train, test
    labels = {"train_y": train_y.astype(np.int64), "test_y": test_y.astype(np.int64)}
    return {"train_x": train_x, "test_x": test_x, **labels}


def _check(
    where: str, x: Array, y: Array, wanted: tuple[tuple[int, ...], np.dtype[np.generic]], classes: int
) -> None:
    found = (x.shape[1:], x.dtype)
    if found != wanted:
        raise DataError(f"{where} holds examples of {_words(*found)}, not of {_words(*wanted)}")
    if y.shape != x.shape[:1] or not len(y):
        raise DataError(f"{where} has {len(x)} examples and labels of shape {y.shape}")
    if y.min() < 0 or y.max() >= classes:
        raise DataError(f"{where} has labels from {y.min()} to {y.max()}, not from 0 to {classes - 1}")


def _words(shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> str:
    return f"{'x'.join(map(str, shape)) or 'one value'} {dtype}"
