"""Any bytes as numbers by byte-pair encoding (Sennrich et al. 2016), and back: learnt by sentencepiece, from counts.

Words are told apart here, in bytes, so that no table of Unicode decides; each byte is a letter to sentencepiece.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from harness.datasets import merges
from harness.datasets.base import Array
from harness.errors import DataError

if TYPE_CHECKING:  # no plan waits for it
    import sentencepiece

UNKNOWN = 0  # sentencepiece wants one; no byte is
FIRST_LETTER = 0x100  # stands for byte 0: from here on 256 characters are Latin letters: one script
LETTERS = {byte: FIRST_LETTER + byte for byte in range(256)}
# No token spans two: a line's end, letters (all that is not ASCII is taken for one), digits or signs, with the space
# before them; or other white space. Their length is bounded, and with it the time that one takes.
WORD = re.compile(
    rb" ?(?:\n|'?[A-Za-z\x80-\xff]{1,64}|[0-9]{1,64}|[^\sA-Za-z0-9\x80-\xff]{1,64})|[^\S\n]{1,64}"
)


def count(text: Iterable[bytes]) -> Counter[bytes]:
    """How often each word occurs in pieces of text, which end with lines."""
    counts: Counter[bytes] = Counter()
    for piece in text:
        counts.update(WORD.findall(piece))
    return counts


def learn(counts: Mapping[bytes, int], vocabulary: int, path: Path) -> None:
    """Writes the model; each single byte is one of its tokens, whether the words have it or not.

    The order of the words does not matter.

    Raises: DataError if the words do not hold so large a vocabulary.
    """
    every_byte = (f"{chr(letter)}\t1" for letter in LETTERS.values())
    lines = (f"{_letters(word)}\t{times}" for word, times in counts.items())
    merges.learn(
        chain(every_byte, lines),
        vocabulary,
        path,
        input_format="tsv",
        character_coverage=1.0,
        add_dummy_prefix=False,
        unk_id=UNKNOWN,
        bos_id=-1,
        eos_id=-1,
        pad_id=-1,
    )


def _letters(word: bytes) -> str:
    return word.decode("latin-1").translate(LETTERS)


class BytePairs:
    """A model that was learnt."""

    def __init__(self, path: Path) -> None:
        import sentencepiece

        model = sentencepiece.SentencePieceProcessor(model_file=str(path))
        tokens = [model.id_to_piece(number) for number in range(1, model.vocab_size())]
        self._bytes = [b"", *(bytes(ord(letter) - FIRST_LETTER for letter in token) for token in tokens)]
        self._numbers = _Numbers(model, self)

    def numbers(self, text: bytes) -> Array:
        """uint16 [n]; of two texts one after the other as of each, where the first one ends with a line.

        Raises: DataError where they would not be read as the text again.
        """
        return np.frombuffer(b"".join(map(self._numbers.__getitem__, WORD.findall(text))), np.uint16)

    def text(self, numbers: Array) -> bytes:
        return b"".join(self._bytes[number] for number in numbers.tolist())


class _Numbers(dict[bytes, bytes]):
    """Of each word, once it was met."""

    def __init__(self, model: sentencepiece.SentencePieceProcessor, pairs: BytePairs) -> None:
        super().__init__()
        self._model, self._pairs = model, pairs

    def __missing__(self, word: bytes) -> bytes:
        found: Array = np.array(self._model.encode(_letters(word)), np.uint16)
        if self._pairs.text(found) != word:
            raise DataError(f"the model of byte pairs does not know {word!r}: it was not learnt here")
        self[word] = found.tobytes()
        return self[word]
