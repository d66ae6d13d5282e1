"""Items that a user has not rated, drawn for the test: never one of the user's own, none twice."""

from __future__ import annotations

import numpy as np

from harness.datasets.base import Array
from harness.errors import DataError

USERS_AT_ONCE = 1 << 14  # bounds memory


def draw(generator: np.random.RandomState, user: Array, item: Array, items: int, count: int) -> Array:
    """int32 [users, count]: every set of `count` unrated items of a user is equally likely.

    `user` [n], sorted, from 0 without a gap, and `item` [n] are all ratings, those of the test among them.
    Ranks among the unrated items are drawn, so nothing has to be drawn again however much a user has rated.
    Raises: DataError if a user has rated an item twice, or leaves fewer than `count` unrated.
    """
    rated = user.astype(np.int64) * items + item
    rated.sort()
    if (rated[1:] == rated[:-1]).any():
        twice = int(rated[1:][rated[1:] == rated[:-1]][0])
        raise DataError(f"user number {twice // items} has rated item number {twice % items} twice")
    starts = np.searchsorted(user, np.arange(user[-1] + 2))
    unrated = items - np.diff(starts)
    if unrated.min() < count:
        few = int(unrated.argmin())
        raise DataError(f"user number {few} leaves {unrated[few]} items unrated, the test needs {count}")
    rated -= np.arange(len(rated)) - starts[user]  # each now says how many unrated items come before it
    drawn = np.empty((len(unrated), count), np.int32)
    for first in range(0, len(unrated), USERS_AT_ONCE):
        some = slice(first, first + USERS_AT_ONCE)
        ranks = _distinct(generator, unrated[some], count)
        keys = np.arange(first, first + len(ranks))[:, np.newaxis] * items + ranks
        drawn[some] = ranks + np.searchsorted(rated, keys, "right") - starts[:-1][some, np.newaxis]
    return drawn


def _distinct(generator: np.random.RandomState, below: Array, count: int) -> Array:
    """int64 [n, count]: different numbers below `below` [n] in each row (Floyd's sampling, all rows at once)."""
    drawn = np.empty((len(below), count), np.int64)
    for place, most in enumerate(range(count, 0, -1)):
        last = below - most
        new = generator.randint(0, last + 1)
        taken = (drawn[:, :place] == new[:, np.newaxis]).any(axis=1)
        drawn[:, place] = np.where(taken, last, new)
    return drawn
