"""Another size by exact means over areas."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from harness.datasets.resize import resize

SIDES = st.integers(1, 12)


@given(SIDES, SIDES, SIDES, st.integers(0, 99))
def test_each_pixel_is_the_mean_of_what_lies_under_it(height: int, width: int, side: int, seed: int) -> None:
    image = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    fine = image.repeat(side, axis=0).repeat(side, axis=1).astype(int)
    sums = fine.reshape(side, height, side, width, 3).sum(axis=(1, 3))
    assert np.array_equal(resize(image, side), (2 * sums + height * width) // (2 * height * width))


@given(SIDES, SIDES, SIDES, st.integers(0, 255))
def test_one_colour_stays_that_colour(height: int, width: int, side: int, level: int) -> None:
    assert (resize(np.full((height, width, 3), level, np.uint8), side) == level).all()
