"""Reads a data set that the host has prepared: four .npy files and their manifest, nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

PARTS = ("train_x", "train_y", "test_x", "test_y")


@dataclass(frozen=True)
class Split:
    """Features [n, ...] as stored and integer labels [n]."""

    x: np.ndarray
    y: np.ndarray


@dataclass(frozen=True)
class DataSet:
    train: Split
    test: Split

    @property
    def size_bytes(self) -> int:
        """Of all arrays as stored: what a run reads."""
        return sum(array.nbytes for split in (self.train, self.test) for array in (split.x, split.y))


def load(folder: Path) -> DataSet:
    """Loads the whole set into memory. The host checked sha256 and shapes before it mounted the folder."""
    arrays = {part: np.load(folder / f"{part}.npy", allow_pickle=False) for part in PARTS}
    return DataSet(
        Split(arrays["train_x"], arrays["train_y"]),
        Split(arrays["test_x"], arrays["test_y"]),
    )
