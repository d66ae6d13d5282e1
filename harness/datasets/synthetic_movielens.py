"""A stand-in for MovieLens: users and items in groups; most of what a user rates is of the user's own group."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np

from harness.datasets import negatives
from harness.datasets.base import Array, OfficialFile

USERS, ITEMS, GROUPS = 512, 256, 8
FEWEST, MOST = 17, 25  # ratings of a user, the test's among them
NEGATIVES = 99
DRAWS = 1000
HEAD_START = 520  # of the user's own group: about 17 of 20 ratings are of it


class SyntheticMovieLens:
    name = "synthetic-movielens"
    title = "SYNTHETIC stand-in with the arrays of movielens; not its data"
    files: tuple[OfficialFile, ...] = ()

    def arrays(self, folder: Path) -> dict[str, Array]:
        generator = np.random.RandomState(zlib.crc32(self.name.encode()))
        own = generator.randint(0, GROUPS, (USERS, 1)) == generator.permutation(ITEMS) % GROUPS
        dislike = generator.randint(0, DRAWS, (USERS, ITEMS)) + np.where(own, 0, HEAD_START)
        ratings = generator.randint(FEWEST, MOST, (USERS, 1))
        rated = dislike.argsort(axis=1, kind="stable").argsort(axis=1) < ratings
        user, item = np.nonzero(rated)
        in_time = np.lexsort((generator.permutation(len(user)), user))
        item = item[in_time]
        last = np.cumsum(ratings) - 1
        drawn = negatives.draw(generator, user, item, ITEMS, NEGATIVES)
        train = np.delete(np.stack([user, item]).astype(np.int32), last, axis=1)
        return {
            "train_user": train[0],
            "train_item": train[1],
            "test_user": user[last].astype(np.int32),
            "test_item": item[last].astype(np.int32),
            "test_negatives": drawn,
        }


STAND_IN = SyntheticMovieLens()
