"""The cipher's data, made here: a file of harness/datasets."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from harness.datasets.base import OfficialFile
from harness.datasets.sentence_rows import REFERENCES
from tests.toys.cipher.spec import SPEC, for_the_judge


class Sentences:
    name = "cipher"
    title = "Short sequences and their cipher, made here"
    files: tuple[OfficialFile, ...] = ()

    def write(self, official: Path, place: Path) -> None:
        splits = {"train": SPEC.examples(400, 1), "test": SPEC.examples(200, 2)}
        for split, one in splits.items():
            for name, array in one.items():
                np.save(place / f"{split}_{name}.npy", array)
        wanted = (row[row > 0] for row in for_the_judge(splits["test"]["target"]))
        (place / REFERENCES).write_text("".join(f"{' '.join(map(str, row))}\n" for row in wanted))


SOURCE = Sentences()
