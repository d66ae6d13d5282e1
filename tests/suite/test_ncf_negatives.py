"""Laws of the negatives that NeuMF learns from, and that each law sees the fault that breaks it."""

from __future__ import annotations

import time
from collections.abc import Callable
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suite.ncf import negatives
from suite.ncf.spec import SPEC

ITEMS, COUNT = 12, 3
RATED = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, ITEMS - 1)), min_size=1, max_size=60, unique=True
).filter(lambda pairs: max(np.bincount([user for user, _ in pairs])) <= ITEMS - COUNT)


def drawn(pairs: list[tuple[int, int]], seed: int) -> np.ndarray:
    user, item = np.array(pairs, np.int32).T
    return negatives.draw(np.random.default_rng(seed), user, item, ITEMS, COUNT)


def broken(pairs: list[tuple[int, int]], found: np.ndarray) -> list[str]:
    """Names of the laws that do not hold."""
    own = {pair: {item for user, item in pairs if user == pair[0]} for pair in pairs}
    laws = {
        "shape": found.shape == (len(pairs), COUNT) and found.dtype == np.int32,
        "items": found.min() >= 0 and found.max() < ITEMS,
        "unrated": not any(own[pair] & set(row) for pair, row in zip(pairs, found.tolist(), strict=True)),
        "distinct": all(len(set(row)) == COUNT for row in found.tolist()),
    }
    return [name for name, holds in laws.items() if not holds]


@settings(deadline=None)
@given(RATED, st.integers(0, 1 << 30))
def test_negatives_are_unrated_items_none_twice_and_follow_from_the_seed(pairs, seed):
    found = drawn(pairs, seed)
    assert broken(pairs, found) == []
    assert np.array_equal(found, drawn(pairs, seed))


@settings(deadline=None, max_examples=20)
@given(RATED, st.integers(0, 9), st.integers(1, 4))
def test_they_are_lawful_however_many_ratings_are_worked_on_at_once(pairs, seed, at_once):
    with patch.object(negatives, "AT_ONCE", at_once):
        assert broken(pairs, drawn(pairs, seed)) == []


FULL = [(user, item) for user in range(40) for item in range(ITEMS - COUNT)]


def test_where_no_other_items_are_left_all_of_them_are_drawn():
    assert np.array_equal(np.sort(drawn(FULL, 1)), np.tile(np.arange(ITEMS - COUNT, ITEMS), (len(FULL), 1)))


def test_one_rating_more_is_refused():
    with pytest.raises(ValueError, match="user number 0 leaves 2 items unrated, and each rating needs 3"):
        drawn([*FULL, (0, ITEMS - 1)], 1)


def nothing_is_rated(rated: np.ndarray, user: np.ndarray, items: np.ndarray, size: int) -> np.ndarray:
    return np.zeros(items.shape, bool)


def nothing_is_repeated(items: np.ndarray) -> np.ndarray:
    return np.zeros(items.shape, bool)


def only_its_own_rating(rated: np.ndarray, user: np.ndarray, items: np.ndarray, size: int) -> np.ndarray:
    """As if each user had rated one item alone, the first."""
    return items == (rated[np.searchsorted(rated, user.astype(np.int64) * size)] % size)[:, np.newaxis]


@pytest.mark.parametrize(
    ("part", "fault", "law"),
    [
        ("_is_rated", nothing_is_rated, "unrated"),
        ("_is_rated", only_its_own_rating, "unrated"),
        ("_is_repeated", nothing_is_repeated, "distinct"),
    ],
)
def test_a_planted_fault_breaks_a_law(part: str, fault: Callable[..., np.ndarray], law: str):
    with patch.object(negatives, part, fault):
        assert broken(FULL, drawn(FULL, 1)) == [law]


def test_every_set_of_unrated_items_is_equally_likely():
    """Of users who have rated 8 of 12 items, 2 of the other 4: each of 12 ordered pairs in 1/12 of the draws."""
    user, item = np.repeat(np.arange(3000, dtype=np.int32), 8), np.tile(np.arange(8, dtype=np.int32), 3000)
    found = negatives.draw(np.random.default_rng(1), user, item, ITEMS, 2)
    pairs, times = np.unique(found, axis=0, return_counts=True)
    assert len(pairs) == 12
    expected = times.sum() / 12
    assert ((times - expected) ** 2 / expected).sum() < 31.3  # chi-squared of 11 degrees, 0.1 %


@settings(deadline=None, max_examples=20)
@given(st.integers(1, 4), st.integers(1, 3))
def test_each_epoch_has_others_and_a_longer_training_has_the_same_at_first(epochs, count):
    spec = SPEC.with_dataset("synthetic-movielens").with_settings({"negatives": count, "epochs": epochs})
    raw = {name: one for name, one in spec.examples(200, 1).items() if name != "negatives"}
    found = spec.inputs(raw, "float32")["candidates"]
    longer = spec.with_settings({"epochs": epochs + 1}).inputs(raw, "float32")["candidates"]
    assert found.shape == (200, 1 + epochs * count) and np.array_equal(found, longer[:, : found.shape[1]])
    parts = [one.tobytes() for one in np.split(longer[:, 1:], epochs + 1, axis=1)]
    assert len(set(parts)) == epochs + 1


def test_a_million_ratings_take_seconds():
    """As many as MovieLens 1M has; of MovieLens 20M 20 times as many."""
    generator = np.random.default_rng(1)
    user = np.sort(generator.integers(0, 6_040, 1_000_000)).astype(np.int32)
    item = generator.integers(0, 3_706, len(user)).astype(np.int32)
    begin = time.process_time()
    negatives.draw(generator, user, item, 3_706, 4)
    assert time.process_time() - begin < 10
