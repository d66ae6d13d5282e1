"""The cipher's data, made here: a file of harness/datasets."""

from __future__ import annotations

from pathlib import Path

from harness.datasets.base import Array, OfficialFile
from tests.toys.cipher.spec import SPEC


class Sentences:
    name = "cipher"
    title = "Short sequences and their cipher, made here"
    files: tuple[OfficialFile, ...] = ()

    def arrays(self, folder: Path) -> dict[str, Array]:
        splits = {"train": SPEC.examples(400, 1), "test": SPEC.examples(200, 2)}
        return {f"{split}_{name}": array for split, one in splits.items() for name, array in one.items()}


SOURCE = Sentences()
