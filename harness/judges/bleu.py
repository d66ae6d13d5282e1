"""BLEU of translations by sacrebleu, whose signature says how (Post 2018, arXiv:1804.08771)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sacrebleu.metrics.bleu import BLEU
from sentencepiece import SentencePieceProcessor

from harness.datasets.sentence_rows import BEGIN, END, PADDING, REFERENCES, SUBWORDS
from harness.judges import Answers

TOKENS = "tokens"  # among the answers: [sentences, length]
Row = np.ndarray[Any, Any]


class Bleu:
    """`text_of`: numbers of words, or of parts of words -> text; `words`: how many numbers there are, where known."""

    def __init__(
        self, references: Sequence[str], text_of: Callable[[list[int]], str], words: int | None
    ) -> None:
        self._sentences, self._text_of, self._words = len(references), text_of, words
        self._bleu = BLEU(references=[references])
        self.how = str(self._bleu.get_signature())

    def judge(self, answers: Answers) -> float:
        tokens = answers.get(TOKENS)
        if tokens is None or tokens.ndim != 2 or len(tokens) != self._sentences:
            raise ValueError(f"they hold no {TOKENS} of {self._sentences} sentences")
        if self._words is not None and tokens.size and tokens.max() >= self._words:
            raise ValueError(f"they hold a number beyond the {self._words} subwords")
        texts = [self._text_of(sentence(row)) for row in tokens]
        return float(self._bleu.corpus_score(texts, None).score)


def sentence(row: Row) -> list[int]:
    """Up to the first end."""
    ends = np.flatnonzero(row == END)
    said = row[: ends[0]] if len(ends) else row
    return [int(one) for one in said if one not in (PADDING, BEGIN)]


def of(data: Path) -> Bleu:
    """By the references of the data set and its subwords; without any, its words are their numbers."""
    references = (data / REFERENCES).read_text().removesuffix("\n").split("\n")
    if not (data / SUBWORDS).exists():
        return Bleu(references, lambda words: " ".join(map(str, words)), None)
    subwords = SentencePieceProcessor(model_file=str(data / SUBWORDS))
    return Bleu(references, subwords.decode, subwords.vocab_size())
