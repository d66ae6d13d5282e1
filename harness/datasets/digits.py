"""Real handwriting that ships with scikit-learn: 1 797 digits of 8x8 pixels (UCI optdigits), here 28x28."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy

from harness.datasets.base import Array, OfficialFile

SIDE, SIDE_AS_MNIST = 8, 28
GREY_LEVELS = 16
TEST_SAMPLES = 360
SPLIT_SEED = 20220


class Digits:
    name = "digits"
    title = "UCI handwritten digits, embedded in scikit-learn, resized to 28x28"
    files: tuple[OfficialFile, ...] = ()

    def arrays(self, folder: Path) -> dict[str, Array]:
        from sklearn.datasets import (
            load_digits,  # a second to import, for whoever only asks what sets there are
        )
        from sklearn.model_selection import train_test_split

        bunch = load_digits()
        x, y = _resized(bunch.images), bunch.target.astype(np.int64)
        train_x, test_x, train_y, test_y = train_test_split(
            x, y, test_size=TEST_SAMPLES, stratify=y, random_state=SPLIT_SEED
        )
        return {"train_x": train_x, "train_y": train_y, "test_x": test_x, "test_y": test_y}


def _resized(images: Array) -> Array:
    """[n, 8, 8] grey levels 0..16 -> [n, 28, 28] uint8, bilinear."""
    factor = SIDE_AS_MNIST / SIDE
    larger: Array = scipy.ndimage.zoom(images, (1, factor, factor), order=1)
    levels: Array = np.rint(larger * (255 / GREY_LEVELS)).astype(np.uint8)
    return levels


SOURCE = Digits()
