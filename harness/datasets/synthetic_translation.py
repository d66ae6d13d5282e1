"""A stand-in for WMT16: a word for each word, and neighbours that change places, so that the order must be learnt."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np

from harness.datasets.base import Array, OfficialFile
from harness.datasets.sentence_rows import END, FIRST_SUBWORD, REFERENCES, TEST_LENGTH, TRAIN_LENGTH

VOCABULARY = 40
TRAIN_PAIRS, TEST_PAIRS = 2560, 256
SHORTEST, LONGEST = 4, 12  # words, the end not counted


class SyntheticTranslation:
    name = "synthetic-translation"
    title = "SYNTHETIC stand-in with the arrays of wmt16-en-de; not its text"
    files: tuple[OfficialFile, ...] = ()

    def arrays(self, folder: Path) -> dict[str, Array]:
        generator = np.random.RandomState(zlib.crc32(self.name.encode()))
        pairs = TRAIN_PAIRS + TEST_PAIRS
        source = generator.randint(FIRST_SUBWORD, VOCABULARY, (pairs, LONGEST))
        meaning = FIRST_SUBWORD + generator.permutation(VOCABULARY - FIRST_SUBWORD)
        lengths = generator.randint(SHORTEST, LONGEST + 1, (pairs, 1))
        target = meaning[_in_their_order(source, lengths) - FIRST_SUBWORD]
        return {
            f"{split}_{side}": _rows(words[some], lengths[some], length)
            for split, some, length in (
                ("train", slice(TRAIN_PAIRS), TRAIN_LENGTH),
                ("test", slice(TRAIN_PAIRS, pairs), TEST_LENGTH),
            )
            for side, words in (("source", source), ("target", target))
        }

    def write(self, official: Path, place: Path) -> None:
        arrays = self.arrays(official)
        for part, array in arrays.items():
            np.save(place / f"{part}.npy", array)
        lines = (" ".join(map(str, row[row > END])) for row in arrays["test_target"])
        (place / REFERENCES).write_text("".join(f"{line}\n" for line in lines))


def _in_their_order(words: Array, lengths: Array) -> Array:
    """Two neighbours (first and second, third and fourth) change places where their numbers' sum is odd."""
    first, second = words[:, ::2], words[:, 1::2]
    swapped = ((first + second) % 2 == 1) & (np.arange(1, LONGEST, 2) < lengths)
    ordered = np.empty_like(words)
    ordered[:, ::2] = np.where(swapped, second, first)
    ordered[:, 1::2] = np.where(swapped, first, second)
    return ordered


def _rows(words: Array, lengths: Array, length: int) -> Array:
    rows = np.zeros((len(words), length), np.uint16)
    rows[:, :LONGEST] = np.where(np.arange(LONGEST) < lengths, words, 0)
    np.put_along_axis(rows, lengths, END, axis=1)
    return rows


STAND_IN = SyntheticTranslation()
