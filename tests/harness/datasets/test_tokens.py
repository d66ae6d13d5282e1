"""Laws of the tokeniser: the same rows everywhere, from the training sentences alone."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from harness.datasets import tokens

SENTENCES = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=9).map(" ".join), max_size=12)
SIZES = st.integers(tokens.FIRST_WORD, 12)


@given(SENTENCES, SIZES, st.randoms(use_true_random=False))
def test_the_order_of_sentences_does_not_change_the_vocabulary(
    sentences: list[str], size: int, order: random.Random
) -> None:
    shuffled = list(sentences)
    order.shuffle(shuffled)
    assert list(tokens.vocabulary(shuffled, size).items()) == list(tokens.vocabulary(sentences, size).items())


@given(SENTENCES, SIZES)
def test_a_word_is_never_less_frequent_than_the_next_one(sentences: list[str], size: int) -> None:
    every = " ".join(sentences).split()
    numbers = tokens.vocabulary(sentences, size)
    counts = [every.count(word) for word in numbers]
    assert counts == sorted(counts, reverse=True)
    assert list(numbers.values()) == list(range(tokens.FIRST_WORD, tokens.FIRST_WORD + len(numbers)))
    assert len(numbers) == min(len(set(every)), size - tokens.FIRST_WORD)


@given(SENTENCES, SENTENCES, SIZES, st.integers(1, 9))
def test_rows_keep_the_first_words_at_their_end(
    train: list[str], test: list[str], size: int, length: int
) -> None:
    numbers = tokens.vocabulary(train, size)
    rows = tokens.encode(test, numbers, length)
    assert rows.shape == (len(test), length) and rows.dtype == np.int32
    assert rows.min(initial=0) >= 0 and rows.max(initial=0) < size
    names = {number: word for word, number in numbers.items()}
    for row, sentence in zip(rows, test, strict=True):
        words = sentence.split()[:length]
        padding, found = np.split(row, [length - len(words)])
        assert not padding.any()
        assert [names.get(number) for number in found] == [
            word if word in numbers else None for word in words
        ]


@given(SENTENCES, SENTENCES)
def test_what_only_the_test_sentences_have_is_unknown(train: list[str], test: list[str]) -> None:
    rows = tokens.encode([f"{sentence} zebra" for sentence in test], tokens.vocabulary(train, 12), 20)
    assert (rows[:, -1] == tokens.UNKNOWN).all()


def test_capitals_and_wide_spaces_do_not_matter() -> None:
    assert tokens.words(" I  felt\tGLAD ") == ["i", "felt", "glad"]
