"""The stand-ins for ratings, running text and translation can be learnt, and are what they are called."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from harness.datasets import prepared, source, synthetic_wikitext
from harness.datasets.sentence_rows import END, REFERENCES
from suite.data import DataSet, load


@cache
def arrays(name: str) -> dict[str, np.ndarray]:
    return source(f"synthetic-{name}").arrays(Path())


def hit_rate(scores: np.ndarray) -> float:
    """Scores [users, items] -> how often fewer than 10 negatives are as good as the positive."""
    found = arrays("movielens")
    positive = scores[found["test_user"], found["test_item"]][:, np.newaxis]
    others = np.take_along_axis(scores, found["test_negatives"], axis=1)
    return float(((others >= positive).sum(axis=1) < 10).mean())


def test_neighbours_tell_what_a_user_rates_next_and_popularity_does_not() -> None:
    found = arrays("movielens")
    rated = np.zeros((512, 256))
    rated[found["train_user"], found["train_item"]] = 1
    popularity = np.broadcast_to(rated.sum(axis=0), rated.shape)
    assert hit_rate(rated @ rated.T @ rated) > 0.75
    assert hit_rate(popularity) < 0.15


def test_a_user_has_not_rated_the_negatives_and_has_each_once() -> None:
    found = arrays("movielens")
    rated = np.zeros((512, 256), bool)
    rated[found["train_user"], found["train_item"]] = True
    rated[found["test_user"], found["test_item"]] = True
    assert rated.sum() == len(found["train_user"]) + 512  # no item twice, and none of the test's in training
    assert not np.take_along_axis(rated, found["test_negatives"], axis=1).any()
    assert all(len(set(row)) == 99 for row in found["test_negatives"].tolist())


def test_the_word_before_tells_much_of_the_next() -> None:
    train, test = arrays("wikitext")["train_tokens"], arrays("wikitext")["test_tokens"]
    counts = np.bincount(train, minlength=synthetic_wikitext.VOCABULARY)
    assert counts.min() >= 1 and (np.diff(counts) <= 0).all()  # none unknown, the frequent ones first
    frequency = counts / counts.sum()
    pairs = np.zeros((len(counts), len(counts)))
    np.add.at(pairs, (train[:-1], train[1:]), 1)
    after = (pairs + 5 * frequency) / (pairs.sum(axis=1, keepdims=True) + 5)
    assert perplexity(frequency[test]) > 3 * perplexity(after[test[:-1], test[1:]])


def perplexity(told: np.ndarray) -> float:
    return float(np.exp(-np.log(told).mean()))


def test_the_translation_is_a_dictionary_and_neighbours_that_change_places(home: Path) -> None:
    data = load(prepared.prepare(source("synthetic-translation"), Path()))
    meaning = dictionary(data)
    for source_row, target_row in zip(data.test["source"], data.test["target"], strict=True):
        words = source_row[source_row > END].tolist()
        for place in range(0, len(words) - 1, 2):
            if sum(words[place : place + 2]) % 2:
                words[place : place + 2] = words[place + 1], words[place]
        assert [meaning[word] for word in words] == target_row[target_row > END].tolist()


def dictionary(data: DataSet) -> dict[int, int]:
    """From the last words of training pairs with an odd number of them: those keep their places."""
    pairs = zip(data.train["source"], data.train["target"], strict=True)
    words = [(one[one > END], other[other > END]) for one, other in pairs]
    return {int(one[-1]): int(other[-1]) for one, other in words if len(one) % 2}


def test_the_references_are_the_numbers_of_the_words_and_lie_beside_the_arrays(home: Path) -> None:
    place = prepared.prepare(source("synthetic-translation"), Path())
    rows = load(place).test["target"]
    lines = (place / REFERENCES).read_text().splitlines()
    assert [[int(word) for word in line.split()] for line in lines] == [
        row[row > END].tolist() for row in rows
    ]
    assert np.array_equal((rows == END).sum(axis=1), np.ones(256))
