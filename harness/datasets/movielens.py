"""MovieLens (Harper and Konstan 2015): every rating is a positive, the last one of each user is the test."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from harness.datasets import negatives, ratings, sizes
from harness.datasets.base import Array, OfficialFile
from harness.errors import DataError

LOCATION = "https://files.grouplens.org/datasets/movielens/"
NEGATIVES = 99  # for each positive of the test, as He et al. 2017


@dataclass(frozen=True, eq=False)
class MovieLens:
    """`member` of the zip file has the ratings; `expected` says how many users, items and ratings."""

    name: str
    title: str
    files: tuple[OfficialFile, ...]
    member: str
    layout: ratings.RatingsFormat
    expected: Mapping[str, int]

    def arrays(self, folder: Path) -> dict[str, Array]:
        user_ids, item_ids, time = ratings.read(folder / self.files[0].name, self.member, self.layout)
        users, user = np.unique(user_ids, return_inverse=True)
        items, item = np.unique(item_ids, return_inverse=True)
        found = {"users": len(users), "items": len(items), "ratings": len(user)}
        sizes.check(self.name, self.expected, found)
        _require_two(self.name, users, user)
        in_time = np.lexsort((time, user))  # stable: what has one time stamp stays in the file's order
        generator = np.random.RandomState(zlib.crc32(self.name.encode()))
        try:
            return leave_one_out(user[in_time], item[in_time], len(items), generator)
        except DataError as error:
            raise DataError(f"{self.name}: {error}") from error


def _require_two(name: str, users: Array, user: Array) -> None:
    """Of each user: one to learn from, and the test's."""
    times = np.bincount(user)
    if times.min() < 2:
        raise DataError(
            f"{name}: user {users[times.argmin()]} has one rating, which is the test's: none to learn from is left"
        )


def leave_one_out(user: Array, item: Array, items: int, generator: np.random.RandomState) -> dict[str, Array]:
    """Ratings [n], by user and then by time -> the arrays of a data set, with each user's last as the test."""
    drawn = negatives.draw(generator, user, item, items, NEGATIVES)
    user, item = user.astype(np.int32), item.astype(np.int32)
    is_last = np.append(user[1:] != user[:-1], True)
    return {
        "train_user": user[~is_last],
        "train_item": item[~is_last],
        "test_user": user[is_last],
        "test_item": item[is_last],
        "test_negatives": drawn,
    }
