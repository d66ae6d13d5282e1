"""Items that a user has not rated, drawn to learn from: no rating of a training is among its user's negatives."""

from __future__ import annotations

import numpy as np

AT_ONCE = 1 << 20  # ratings: bounds memory


def draw(
    generator: np.random.Generator, user: np.ndarray, item: np.ndarray, items: int, count: int
) -> np.ndarray:
    """int32 [n, count]: for each rating, of `user` [n] and `item` [n], items that the user has not rated, none twice.

    Every set of them is equally likely: what may not stand is drawn again, and no unrated item is preferred.
    Raises: ValueError where a user leaves fewer than `count` items unrated.
    """
    rated = np.sort(user.astype(np.int64) * items + item)
    rated = rated[np.append(True, rated[1:] != rated[:-1])]
    _require_enough(rated // items, items, count)
    drawn = np.empty((len(user), count), np.int32)
    for first in range(0, len(user), AT_ONCE):
        some = slice(first, first + AT_ONCE)
        drawn[some] = _drawn(generator, rated, user[some], items, count)
    return drawn


def _drawn(
    generator: np.random.Generator, rated: np.ndarray, user: np.ndarray, items: int, count: int
) -> np.ndarray:
    drawn = generator.integers(items, size=(len(user), count), dtype=np.int32)
    suspects = np.arange(len(user))
    while len(suspects):
        wrong = _is_rated(rated, user[suspects], drawn[suspects], items) | _is_repeated(drawn[suspects])
        rows, columns = np.nonzero(wrong)
        drawn[suspects[rows], columns] = generator.integers(items, size=len(rows), dtype=np.int32)
        suspects = suspects[np.unique(rows)]
    return drawn


def _is_rated(rated: np.ndarray, user: np.ndarray, drawn: np.ndarray, items: int) -> np.ndarray:
    keys = user.astype(np.int64)[:, np.newaxis] * items + drawn
    places = np.searchsorted(rated, keys)
    return rated[np.minimum(places, len(rated) - 1)] == keys


def _is_repeated(drawn: np.ndarray) -> np.ndarray:
    """Whether it stands further left in its row, too."""
    repeated = np.zeros(drawn.shape, bool)
    for column in range(1, drawn.shape[1]):
        repeated[:, column] = (drawn[:, :column] == drawn[:, column, np.newaxis]).any(axis=1)
    return repeated


def _require_enough(raters: np.ndarray, items: int, count: int) -> None:
    left = items - np.bincount(raters)
    if left.min() < count:
        few = left.argmin()
        raise ValueError(f"user number {few} leaves {left[few]} items unrated, and each rating needs {count}")
