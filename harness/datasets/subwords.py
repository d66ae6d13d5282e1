"""Parts of words, in one vocabulary for both languages, by sentencepiece: learnt from text, the same on every run."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import sentencepiece

from harness.datasets import sentence_rows
from harness.datasets.base import Array
from harness.errors import DataError

COVERAGE = 0.9999  # share of all characters that are known; the rarest, other scripts' mostly, are not
MOST_BYTES = 4192  # a longer line is no sentence; what sentencepiece leaves out by default
THREADS = 1  # to learn with: its number stands in the model's file


def learn(sentences: Iterable[str], vocabulary: int, path: Path) -> None:
    """Writes the model. No sentence is drawn at random, so that there is no seed: which are given says all.

    Raises: DataError if the text does not hold so large a vocabulary, and what the sentences raise of it.
    """
    model, mistakes = io.BytesIO(), list[DataError]()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=_noting(sentences, mistakes),
            model_writer=model,
            model_type="bpe",
            vocab_size=vocabulary,
            character_coverage=COVERAGE,
            normalization_rule_name="identity",  # so that the references are what can be written
            max_sentence_length=MOST_BYTES,
            num_threads=THREADS,
            pad_id=sentence_rows.PADDING,
            unk_id=sentence_rows.UNKNOWN,
            bos_id=sentence_rows.BEGIN,
            eos_id=sentence_rows.END,
            minloglevel=2,
        )
    except RuntimeError as error:
        if mistakes:
            raise mistakes[0] from error
        reason = str(error).splitlines()[-1]
        raise DataError(f"a vocabulary of {vocabulary} subwords cannot be learnt: {reason}") from error
    path.write_bytes(model.getvalue())


def _noting(sentences: Iterable[str], mistakes: list[DataError]) -> Iterator[str]:
    """What is wrong with a sentence does not come through the library."""
    try:
        yield from sentences
    except DataError as mistake:
        mistakes.append(mistake)
        raise


class Subwords:
    """A model that was learnt."""

    def __init__(self, path: Path) -> None:
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
