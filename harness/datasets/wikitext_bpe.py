"""WikiText's raw text (Merity et al. 2016) as one run of byte pairs, which its training text alone has taught."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from harness.datasets import byte_pairs, sizes
from harness.datasets.base import OfficialFile
from harness.datasets.byte_pairs import BytePairs
from harness.datasets.growing import GrowingArray
from harness.datasets.member_streams import zip_lines
from harness.datasets.wikitext import SPLITS

VOCABULARY = 8192
MODEL = "byte_pairs.model"


@dataclass(frozen=True, eq=False)
class WikiTextBpe:
    """`folder` is that in the zip file; `expected` says how many lines there are."""

    name: str
    title: str
    files: tuple[OfficialFile, ...]
    folder: str
    expected: Mapping[str, int]
    vocabulary: int = VOCABULARY

    def write(self, official: Path, place: Path) -> None:
        byte_pairs.learn(byte_pairs.count(self._lines(official, "train")), self.vocabulary, place / MODEL)
        pairs, found = BytePairs(place / MODEL), dict[str, int]()
        for split in SPLITS:
            found[f"{split} lines"] = 0
            with GrowingArray(place / f"{split}_tokens.npy", np.uint16) as tokens:
                for lines in self._lines(official, split):
                    tokens.append(pairs.numbers(lines))
                    found[f"{split} lines"] += lines.count(b"\n")
        sizes.check(self.name, self.expected, found)

    def _lines(self, official: Path, split: str) -> Iterator[bytes]:
        """Some MB of text at a time."""
        return zip_lines(official / self.files[0].name, f"{self.folder}/wiki.{split}.raw")
