"""A stand-in for WikiText: words by Zipf's law, most of which follow from the word before them."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np

from harness.datasets.base import Array, OfficialFile

VOCABULARY = 1000  # the end of a line among them
TRAIN_TOKENS, TEST_TOKENS = 60_000, 6_000
END = 0  # here; by how often it occurs in the arrays
SHORTEST, LONGEST = 10, 30  # words of a line
FOLLOWERS = 4  # a word is usually followed by one of so many
FREE_IN = 4  # one word in so many follows from nothing


class SyntheticWikiText:
    name = "synthetic-wikitext"
    title = "SYNTHETIC stand-in with the arrays of wikitext; not its text"
    files: tuple[OfficialFile, ...] = ()

    def arrays(self, folder: Path) -> dict[str, Array]:
        generator = np.random.RandomState(zlib.crc32(self.name.encode()))
        text = np.concatenate([_every_word_once(), _text(generator, TRAIN_TOKENS + TEST_TOKENS)])
        train, test = text[:TRAIN_TOKENS], text[TRAIN_TOKENS : TRAIN_TOKENS + TEST_TOKENS]
        numbers = np.empty(VOCABULARY, np.int32)
        frequent_first = np.argsort(-np.bincount(train, minlength=VOCABULARY), kind="stable")
        numbers[frequent_first] = np.arange(VOCABULARY)
        return {"train_tokens": numbers[train], "test_tokens": numbers[test]}


def _every_word_once() -> Array:
    """So that no word of the test is unknown, as in the real text."""
    return np.append(np.arange(END + 1, VOCABULARY), END)


def _text(generator: np.random.RandomState, tokens: int) -> Array:
    weights = np.cumsum(1_000_000 // np.arange(1, VOCABULARY))  # Zipf's law, in whole numbers

    def words(shape: int | tuple[int, ...]) -> Array:
        return END + 1 + np.searchsorted(weights, generator.randint(0, weights[-1], shape), "right")

    followers, free = words((VOCABULARY, FOLLOWERS)), words(tokens)
    choice, is_free = generator.randint(0, FOLLOWERS, tokens), generator.randint(0, FREE_IN, tokens) == 0
    line_ends = np.cumsum(generator.randint(SHORTEST + 1, LONGEST + 2, tokens // SHORTEST))
    text = free
    for place in range(1, tokens):
        if not is_free[place]:
            text[place] = followers[text[place - 1], choice[place]]
    text[line_ends[line_ends < tokens] - 1] = END
    return text


STAND_IN = SyntheticWikiText()
