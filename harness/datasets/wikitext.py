"""WikiText (Merity et al. 2016): Wikipedia's good articles as one run of word numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from harness.datasets import sizes
from harness.datasets.base import OfficialFile
from harness.datasets.growing import GrowingArray
from harness.datasets.member_streams import zip_lines
from harness.errors import DataError

LOCATION = "https://s3.amazonaws.com/research.metamind.io/wikitext/"
END, UNKNOWN = "<eos>", "<unk>"  # of a line; the second is a word of the files
SPLITS = ("train", "test")


@dataclass(frozen=True, eq=False)
class WikiText:
    """`folder` is that in the zip file; `expected` says how many tokens and words there are."""

    name: str
    title: str
    files: tuple[OfficialFile, ...]
    folder: str
    expected: Mapping[str, int]

    def write(self, official: Path, place: Path) -> None:
        archive = official / self.files[0].name
        numbers = _Numbers(_words(archive, f"{self.folder}/wiki.train.tokens"), str(archive))
        found = {"words": len(numbers)}
        for split in SPLITS:
            with GrowingArray(place / f"{split}_tokens.npy", np.int32) as tokens:
                for words in _words(archive, f"{self.folder}/wiki.{split}.tokens"):
                    tokens.append(np.fromiter(map(numbers.__getitem__, words), np.int32, len(words)))
            found[f"{split} tokens"] = tokens.length
        sizes.check(self.name, self.expected, found)


class _Numbers(dict[str, int]):
    """Word -> number, the frequent ones first, equally frequent ones by alphabet; others are unknown."""

    def __init__(self, training: Iterator[list[str]], where: str) -> None:
        counts: Counter[str] = Counter()
        for words in training:
            counts.update(words)
        ranked = sorted(counts, key=lambda word: (-counts[word], word))
        super().__init__({word: number for number, word in enumerate(ranked)})
        if UNKNOWN not in self:
            raise DataError(f"{where}: its training text has no {UNKNOWN}: it is not the tokens of WikiText")

    def __missing__(self, _: str) -> int:
        return self[UNKNOWN]


def _words(archive: Path, member: str) -> Iterator[list[str]]:
    """Some MB of text at a time, split at white space; every line, an empty one too, ends with a word of its own."""
    for lines in zip_lines(archive, member):
        try:
            text = lines.decode()
        except UnicodeDecodeError as error:
            raise DataError(f"{archive}: {member} is not UTF-8 text: {error.reason}") from error
        yield text.replace("\n", f" {END} ").split()
