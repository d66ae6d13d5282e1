"""Sentences as rows of word numbers, made on the host so that every framework reads the same ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from harness.datasets.base import Array

PADDING, UNKNOWN = 0, 1
FIRST_WORD = 2


def words(sentence: str) -> list[str]:
    """Lower case, split at white space."""
    return sentence.lower().split()


def vocabulary(sentences: Iterable[str], size: int) -> dict[str, int]:
    """Word -> number below `size`, the frequent ones first, equally frequent ones by alphabet.

    Give it the training sentences alone: what only a test sentence has must stay unknown.
    """
    counts = Counter(word for sentence in sentences for word in words(sentence))
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    return {word: number for number, word in enumerate(ranked[: size - FIRST_WORD], FIRST_WORD)}


def encode(sentences: Sequence[str], numbers: Mapping[str, int], length: int) -> Array:
    """int32 [n, length]: padded in front, so that a recurrent network ends on words; longer ones lose their end."""
    rows = np.full((len(sentences), length), PADDING, np.int32)
    for row, sentence in zip(rows, sentences, strict=True):
        found = [numbers.get(word, UNKNOWN) for word in words(sentence)[:length]]
        row[length - len(found) :] = found
    return rows
