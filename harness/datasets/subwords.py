"""Parts of words, in one vocabulary for both languages, by sentencepiece: learnt from text, the same on every run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from harness.datasets import merges, sentence_rows
from harness.datasets.base import Array

COVERAGE = 0.9999  # share of all characters that are known; the rarest, other scripts' mostly, are not
MOST_BYTES = 4192  # a longer line is no sentence; what sentencepiece leaves out by default


def learn(sentences: Iterable[str], vocabulary: int, path: Path) -> None:
    """Writes the model. No sentence is drawn at random, so that there is no seed: which are given says all.

    Raises: as `merges.learn`.
    """
    merges.learn(
        sentences,
        vocabulary,
        path,
        character_coverage=COVERAGE,
        max_sentence_length=MOST_BYTES,
        pad_id=sentence_rows.PADDING,
        unk_id=sentence_rows.UNKNOWN,
        bos_id=sentence_rows.BEGIN,
        eos_id=sentence_rows.END,
    )


class Subwords:
    """A model that was learnt."""

    def __init__(self, path: Path) -> None:
        import sentencepiece  # no plan waits for it

        self._model = sentencepiece.SentencePieceProcessor(model_file=str(path))

    def numbers(self, sentences: Sequence[str]) -> list[list[int]]:
        """Of each sentence's subwords, with the end behind."""
        found: list[list[int]] = self._model.encode(list(sentences), out_type=int, add_eos=True)
        return found


def rows(sentences: Sequence[Sequence[int]], length: int) -> Array:
    """Numbers, none longer than `length` -> uint16 [n, length], padded behind."""
    lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
    filled = np.full((len(sentences), length), sentence_rows.PADDING, np.uint16)
    filled[np.arange(length) < lengths[:, np.newaxis]] = np.fromiter(
        chain.from_iterable(sentences), np.uint16, lengths.sum()
    )
    return filled
