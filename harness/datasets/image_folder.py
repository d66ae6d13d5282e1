"""Folders of photographs, one for each class: `train/<class>/*.JPEG` and `val/<class>/*.JPEG`, as ImageNet's are."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from harness.datasets.base import Labels
from harness.errors import DataError

SUFFIXES = (".jpeg", ".jpg", ".png")
LAYOUT = "train/<class>/*.JPEG and val/<class>/*.JPEG"
FOLDERS = {"train": "train", "test": "val"}  # of each split


@dataclass(frozen=True)
class Photos:
    """Of one split, in the order of their classes and names."""

    folder: Path
    names: Sequence[str]  # "class/file"
    labels: Labels

    def __len__(self) -> int:
        return len(self.names)

    def described(self, rows: slice) -> list[tuple[str, int, int]]:
        """Name, size and time of change of some: by which it is known whether they are still the same."""
        several = ((name, (self.folder / name).stat()) for name in self.names[rows])
        return [(name, found.st_size, found.st_mtime_ns) for name, found in several]


def read(folder: Path) -> tuple[list[str], dict[str, Photos]]:
    """The classes, numbered in the order of the names of train's folders, and the photographs of each split.

    Raises: DataError naming a folder that is missing, empty, or of a class that nothing is trained on.
    """
    classes = _classes(folder / FOLDERS["train"])
    numbers = {name: number for number, name in enumerate(classes)}
    return classes, {split: _photos(folder / place, numbers) for split, place in FOLDERS.items()}


def _classes(folder: Path) -> list[str]:
    if not folder.is_dir():
        raise DataError(f"{folder} is missing: what is imported has {LAYOUT}")
    found = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir() and entry.name[0] != ".")
    if not found:
        raise DataError(f"{folder} has no folders of classes: what is imported has {LAYOUT}")
    return found


def _photos(folder: Path, numbers: dict[str, int]) -> Photos:
    names, labels = [], []
    for name in _classes(folder):
        if name not in numbers:
            raise DataError(f"{folder / name} is of a class that {FOLDERS['train']} does not have")
        files = sorted(
            entry.name for entry in os.scandir(folder / name) if entry.name.lower().endswith(SUFFIXES)
        )
        if not files:
            raise DataError(f"{folder / name} has no photographs ({', '.join(SUFFIXES)})")
        names += [f"{name}/{file}" for file in files]
        labels += [numbers[name]] * len(files)
    return Photos(folder, names, np.array(labels, np.int64))
