"""Malaria cells (NIH; Rajaraman et al. 2018): 27 558 pictures of blood cells, half of them with parasites."""

from __future__ import annotations

import re
from itertools import chain
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
        cells = _read(folder / self.files[0].name)
        return parts.checked(self.name, _split(cells, False), _split(cells, True), SHAPE, len(CLASSES))


def _read(path: Path) -> list[list[Array]]:
    """The cells uint8 [SIDE, SIDE, 3] of each class, in the order of their file names."""
    cells: dict[str, list[Array]] = {name: [] for name in CLASSES}
    for name, content in archives.zip_members(path, CELL, MOST_CELL_BYTES):
        cells[name.split("/")[1]].append(resize(decode(content, f"{path}: {name}"), SIDE))
    for name, several in cells.items():
        if len(several) < TEST_EVERY:
            raise DataError(f"{path} has {len(several)} PNG files in cell_images/{name}, too few to split")
    return list(cells.values())


def _split(cells: list[list[Array]], of_test: bool) -> parts.Split:
    """The cells [n, SIDE, SIDE, 3] and labels [n] of one split."""
    chosen = [
        [cell for place, cell in enumerate(several, 1) if (place % TEST_EVERY == 0) is of_test]
        for several in cells
    ]
    labels = np.repeat(np.arange(len(cells)), [len(several) for several in chosen])
    return np.stack(list(chain.from_iterable(chosen))), labels


SOURCE = Malaria()
STAND_IN = SyntheticImages("malaria", SHAPE, len(CLASSES))
