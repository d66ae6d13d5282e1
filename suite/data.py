"""Reads a data set that the host has prepared: `train_<name>.npy` and `test_<name>.npy`, and nothing else.

What is larger than memory lies in several files, `train_<name>.000.npy` and so on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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


class Shards:
    """Rows of several arrays as if they were of one [n, ...], read where they are asked for."""

    def __init__(self, parts: Sequence[np.ndarray]) -> None:
        self._parts, (*starts, rows) = parts, np.cumsum([0, *map(len, parts)])
        self._starts = np.array(starts)
        self.shape: tuple[int, ...] = (int(rows), *parts[0].shape[1:])
        self.dtype, self.ndim = parts[0].dtype, parts[0].ndim
        self.nbytes = sum(part.nbytes for part in parts)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> np.ndarray:
        """Of one row what lies there, of several [k] or a slice a copy."""
        if isinstance(rows, slice):
            rows = np.arange(*rows.indices(len(self)))
        if np.ndim(rows):
            return np.stack([self[row] for row in rows]) if len(rows) else self._parts[0][:0]
        if not 0 <= rows < len(self):
            raise IndexError(f"row {rows} of {len(self)}")
        part = int(np.searchsorted(self._starts, rows, side="right")) - 1
        return self._parts[part][rows - self._starts[part]]


def load(folder: Path, mapped: bool = False) -> DataSet:
    """Into memory; `mapped`: read where it is asked for. The host checked sha256 and shapes before it mounted it."""
    return DataSet(*(_split(folder, split, mapped) for split in SPLITS))


def _split(folder: Path, split: str, mapped: bool) -> Arrays:
    """`train_x.npy` is x, and so are `train_x.000.npy`, `train_x.001.npy` and so on together."""
    parts: dict[str, list[np.ndarray]] = {}
    for path in sorted(folder.glob(f"{split}_*.npy")):
        name = path.stem.removeprefix(f"{split}_").partition(".")[0]
        parts.setdefault(name, []).append(np.load(path, "r" if mapped else None, allow_pickle=False))
    return {
        name: several[0] if len(several) == 1 else _joined(several, mapped) for name, several in parts.items()
    }


def _joined(parts: Sequence[np.ndarray], mapped: bool) -> Any:
    return Shards(parts) if mapped else np.concatenate(parts)
