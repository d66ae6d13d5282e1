"""CIFAR-10 and CIFAR-100 (Krizhevsky 2009), python version: pickles of 32x32 colour images in a tar.gz."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from harness.datasets import archives, parts, pickles
from harness.datasets.base import Array, OfficialFile
from harness.errors import DataError

LOCATION = "https://www.cs.toronto.edu/~kriz/"
SHAPE = (32, 32, 3)
ROW_BYTES = 3 * 32 * 32  # one plane each of red, green and blue


@dataclass(eq=False)  # sources are keys of tables
class Cifar:
    """One of the two archives: its members for each split, and the key under which they hold the labels."""

    name: str
    title: str
    archive: OfficialFile
    train: tuple[str, ...]
    test: str
    labels: bytes
    classes: int

    @property
    def files(self) -> tuple[OfficialFile, ...]:
        return (self.archive,)

    def arrays(self, folder: Path) -> dict[str, Array]:
        path = folder / self.archive.name
        content = archives.tar_gz_members(path, {*self.train, self.test})
        read = {name: _batch(pickled, self.labels, f"{path}: {name}") for name, pickled in content.items()}
        x, y = (np.concatenate(several) for several in zip(*(read[name] for name in self.train), strict=True))
        return parts.checked(self.name, (x, y), read[self.test], SHAPE, self.classes)


def _batch(content: bytes, key: bytes, where: str) -> parts.Split:
    """A pickled batch -> images uint8 [n, 32, 32, 3] and labels int64 [n]."""
    batch = pickles.load(content, where)
    rows, labels = (batch.get(b"data"), batch.get(key)) if isinstance(batch, dict) else (None, None)
    if not isinstance(rows, np.ndarray) or rows.dtype != np.uint8 or rows.shape[1:] != (ROW_BYTES,):
        raise DataError(f"{where} has no data of {ROW_BYTES} bytes an image")
    if not isinstance(labels, list) or not all(type(label) is int for label in labels):
        raise DataError(f"{where} has no list of {key.decode()}")
    planes = rows.reshape(-1, 3, 32, 32)
    return np.ascontiguousarray(planes.transpose(0, 2, 3, 1)), np.array(labels, np.int64)
