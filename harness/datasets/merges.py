"""Which pairs of characters become one token, in which order: learnt by sentencepiece, the same on every run."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from harness.errors import DataError

THREADS = 1  # to learn with: its number stands in the model's file


def learn(lines: Iterable[str], vocabulary: int, path: Path, **options: Any) -> None:
    """Writes the model; of sentencepiece's options those that its users differ in.

    Raises: DataError if the text does not hold so large a vocabulary, and what the lines raise of it.
    """
    import sentencepiece  # no plan waits for it

    model, mistakes = io.BytesIO(), list[DataError]()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=_noting(lines, mistakes),
            model_writer=model,
            model_type="bpe",
            vocab_size=vocabulary,
            normalization_rule_name="identity",  # so that what was encoded can be read again
            num_threads=THREADS,
            minloglevel=2,
            **options,
        )
    except RuntimeError as error:
        if mistakes:
            raise mistakes[0] from error
        reason = str(error).splitlines()[-1]
        raise DataError(f"a vocabulary of {vocabulary} subwords cannot be learnt: {reason}") from error
    path.write_bytes(model.getvalue())


def _noting(lines: Iterable[str], mistakes: list[DataError]) -> Iterator[str]:
    """What is wrong with a line does not come through the library."""
    try:
        yield from lines
    except DataError as mistake:
        mistakes.append(mistake)
        raise
