"""Malaria cells (NIH; Rajaraman et al. 2018): 27 558 pictures of blood cells, half of them with parasites."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from harness.datasets import archives, parts
from harness.datasets.base import Array, OfficialFile
from harness.datasets.png import decode, pillow
from harness.datasets.resize import resize
from harness.datasets.synthetic import SyntheticImages
from harness.errors import DataError

SIDE = 64  # official cells are about 130 pixels wide, each of another size
SHAPE = (SIDE, SIDE, 3)
CLASSES = ("Uninfected", "Parasitized")
CELL = re.compile(rf"cell_images/({'|'.join(CLASSES)})/[^/]+\.png")  # beside them lie files of a file manager
MOST_CELL_BYTES = 1 << 20
TEST_EVERY = 5  # of each class, in the order of the file names; cells of one patient fall into both splits


class Malaria:
    name = "malaria"
    title = f"NIH malaria cells, official archive, resized to {SIDE}x{SIDE}"
    # Address, size and SHA-256 as in tensorflow/datasets, datasets/malaria/checksums.tsv
    files = (
        OfficialFile(
            "cell_images.zip",
            "https://data.lhncbc.nlm.nih.gov/public/Malaria/cell_images.zip",
            "0a949556b2414159b5100192609805376654c4266d8d187be9b1922fad43c668",
            353452851,
        ),
    )

    def arrays(self, folder: Path) -> dict[str, Array]:
        pillow()  # before minutes of work
        x, y = _read(folder / self.files[0].name)
        place = np.arange(len(y)) - np.searchsorted(y, y)  # within the class; y is sorted
        test = place % TEST_EVERY == TEST_EVERY - 1
        return parts.checked(self.name, (x[~test], y[~test]), (x[test], y[test]), SHAPE, len(CLASSES))


def _read(path: Path) -> parts.Split:
    """Cells uint8 [n, SIDE, SIDE, 3] and labels [n], class by class in the order of the file names."""
    cells, labels = [], []
    for name, content in archives.zip_members(path, CELL, MOST_CELL_BYTES):
        cells.append(resize(decode(content, f"{path}: {name}"), SIDE))
        labels.append(CLASSES.index(name.split("/")[1]))
    if len(set(labels)) < len(CLASSES):
        raise DataError(f"{path} lacks PNG files in cell_images/{' or cell_images/'.join(CLASSES)}")
    order = np.argsort(labels, kind="stable")
    return np.stack(cells)[order], np.array(labels, np.int64)[order]


SOURCE = Malaria()
STAND_IN = SyntheticImages("malaria", SHAPE, len(CLASSES))
