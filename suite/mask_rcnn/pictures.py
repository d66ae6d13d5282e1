"""Pictures of boxes and ellipses with their masks, for the proof of equal work."""

from __future__ import annotations

import numpy as np

from suite.detection.masks import MASK_SIDE, packed
from suite.spec import Arrays

MOST = 6  # objects of a picture, of which some are padding
BARE = 8  # one picture of so many has no object
CROWDS = 5  # one object of so many is a crowd


def drawn(count: int, seed: int, side: int, known: int) -> Arrays:
    """As a prepared data set: image uint8 [count, side, side, 3], boxes, class, crowd, mask and extent.

    A class of the `known` is a colour and a shape under noise; a quarter of the classes are wrong.
    """
    generator = np.random.default_rng(seed)
    extent = np.full((count, 2), side, np.int32)
    extent[::3, 0] = side * 3 // 4
    boxes, classes = _boxes(generator, count, extent), generator.integers(1, known + 1, (count, MOST))
    kept = np.arange(MOST) < generator.integers(1, MOST + 1, (count, 1))
    kept[BARE - 1 :: BARE] = False
    inside = _inside(classes)
    image = generator.integers(0, 64, (count, side, side, 3), np.uint8)
    for picture, one in zip(*np.nonzero(kept), strict=True):
        _paint(image[picture], boxes[picture, one], classes[picture, one])
    for picture, (high, wide) in enumerate(extent):
        image[picture, high:], image[picture, :, wide:] = 0, 0
    crowd = kept & (generator.random((count, MOST)) < 1 / CROWDS)
    wrong = generator.random((count, MOST)) < 0.25
    told = np.where(wrong, generator.integers(1, known + 1, (count, MOST)), classes)
    return {
        "image": image,
        "boxes": np.where(kept[..., None], boxes, 0).astype(np.float32),
        "class": np.where(kept, told, 0).astype(np.uint8),
        "crowd": crowd,
        "mask": packed(inside & kept[..., None, None]),
        "extent": extent,
    }


def _boxes(generator: np.random.Generator, count: int, extent: np.ndarray) -> np.ndarray:
    """Within each picture's extent, a fifth of it at least."""
    high_and_wide = extent[:, None, ::-1].astype(float)
    size = generator.uniform(0.2, 0.7, (count, MOST, 2)) * high_and_wide
    first = generator.uniform(0, 1, (count, MOST, 2)) * (high_and_wide - size)
    return np.concatenate([first, first + size], -1)


def _inside(classes: np.ndarray) -> np.ndarray:
    """Boxes of even classes, ellipses of odd ones: bool [..., 56, 56]."""
    at = (np.arange(MASK_SIDE) + 0.5) / MASK_SIDE * 2 - 1
    ellipse = at[:, None] ** 2 + at**2 <= 1
    return (classes % 2 == 0)[..., None, None] | ellipse


def _paint(image: np.ndarray, box: np.ndarray, of_class: int) -> None:
    x1, y1, x2, y2 = box
    places = np.arange(len(image)) + 0.5
    across, down = (2 * (places - (low + high) / 2) / (high - low) for low, high in ((x1, x2), (y1, y2)))
    square = (np.abs(across) <= 1) & (np.abs(down) <= 1)[:, None]
    inside = square if of_class % 2 == 0 else across**2 + down[:, None] ** 2 <= 1
    image[inside] = np.array([of_class * 37, of_class * 61, of_class * 97]) % 192 + 64
