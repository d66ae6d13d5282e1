"""Reads a data set that the host has prepared: `train_<name>.npy` and `test_<name>.npy`, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from suite.spec import Arrays, Spec

SPLITS = ("train", "test")


@dataclass(frozen=True)
class DataSet:
    """Arrays [n, ...] as stored, by name: {"x", "y"} of a classifier."""

    train: Arrays
    test: Arrays

    def cut(self, spec: Spec) -> DataSet:
        """Into samples, as the spec says."""
        return DataSet(*(spec.as_samples(getattr(self, split), split) for split in SPLITS))

    @property
    def size_bytes(self) -> int:
        """Of all arrays as stored: what a run reads."""
        return sum(array.nbytes for split in (self.train, self.test) for array in split.values())


def load(folder: Path, mapped: bool = False) -> DataSet:
    """Into memory; `mapped`: read where it is asked for. The host checked sha256 and shapes before it mounted it."""
    return DataSet(*(_split(folder, split, mapped) for split in SPLITS))


def _split(folder: Path, split: str, mapped: bool) -> Arrays:
    return {
        path.stem.removeprefix(f"{split}_"): np.load(path, "r" if mapped else None, allow_pickle=False)
        for path in sorted(folder.glob(f"{split}_*.npy"))
    }
