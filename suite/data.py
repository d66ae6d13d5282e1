"""Reads a data set that the host has prepared: `train_<name>.npy` and `test_<name>.npy`, and nothing else.

What is larger than memory lies in several files, `train_<name>.000.npy` and so on.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
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


class RecordRows:
    """A .npy file [n, ...] of which one row is read when it is asked for.

    Mapped, all that was read once would count as the program's memory, which is a result.
    """

    def __init__(self, path: Path) -> None:
        stored = np.load(path, "r", allow_pickle=False)
        self.shape, self.dtype, self._begin = stored.shape, stored.dtype, stored.offset
        self._row_bytes = stored[:1].nbytes
        self._file = path.open("rb", buffering=0)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, row: int) -> np.ndarray:
        """Raises: ValueError where the file has become shorter."""
        content = os.pread(self._file.fileno(), self._row_bytes, self._begin + int(row) * self._row_bytes)
        return np.frombuffer(content, self.dtype).reshape(self.shape[1:])


class Shards:
    """Rows of several arrays, or files of them, as if they were of one array [n, ...]."""

    def __init__(self, parts: Sequence[np.ndarray] | Sequence[RecordRows]) -> None:
        self._parts, (*starts, rows) = parts, np.cumsum([0, *map(len, parts)])
        self._starts = np.array(starts)
        self.shape: tuple[int, ...] = (int(rows), *parts[0].shape[1:])
        self.dtype, self.ndim = parts[0].dtype, len(self.shape)
        self.nbytes = prod(self.shape) * self.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> np.ndarray:
        """One row, or several [k] or a slice."""
        if isinstance(rows, slice):
            rows = np.arange(*rows.indices(len(self)))
        if np.ndim(rows):
            several = [self[row] for row in rows]
            return np.stack(several) if several else np.empty((0, *self.shape[1:]), self.dtype)
        if not 0 <= rows < len(self):
            raise IndexError(f"row {rows} of {len(self)}")
        part = int(np.searchsorted(self._starts, rows, side="right")) - 1
        return self._parts[part][rows - self._starts[part]]


def load(folder: Path, mapped: bool = False) -> DataSet:
    """Into memory; `mapped`: read where it is asked for. The host checked sha256 and shapes before it mounted it."""
    return DataSet(*(_split(folder, split, mapped) for split in SPLITS))


def _split(folder: Path, split: str, mapped: bool) -> Arrays:
    """`train_x.npy` is x, and so are `train_x.000.npy`, `train_x.001.npy` and so on together."""
    several: dict[str, list[Path]] = {}
    for path in sorted(folder.glob(f"{split}_*.npy")):
        several.setdefault(path.stem.removeprefix(f"{split}_").partition(".")[0], []).append(path)
    return {name: _array(paths, mapped) for name, paths in several.items()}


def _array(paths: Sequence[Path], mapped: bool) -> Any:
    if mapped and paths[0].suffixes[:-1]:  # numbered
        return Shards([RecordRows(path) for path in paths])
    parts = [np.load(path, "r" if mapped else None, allow_pickle=False) for path in paths]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
