"""Which pixels an object of COCO takes: polygons, or runs of pixels column by column (RLE), compressed or not.

The formats are those of COCO's own API (cocodataset.org, "Data format"); what is checked here is safe for its code,
which allocates and reads what it is told.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from faster_coco_eval.core import mask as rle

from harness.datasets.base import Array

MOST_NUMBERS = 1 << 16  # of one polygon's corners, or of runs: official ones have a few thousand
Box = tuple[float, float, float, float]  # x, y, width and height, in pixels


@dataclass(frozen=True)
class Polygons:
    """Each of them x, y of its corners in turn, in pixels of the image."""

    corners: Sequence[Array]

    def sampled(self, box: Box, side: int) -> Array:
        """bool [side, side]: what it takes of a box."""
        x, y, width, height = box
        scale = np.array([side / width, side / height])
        # What lies far outside changes nothing within, and would be drawn as long as it is.
        placed = [
            np.clip((one.reshape(-1, 2) - (x, y)) * scale, -side, 2 * side).ravel() for one in self.corners
        ]
        drawn = rle.frPyObjects([one.tolist() for one in placed], side, side)
        mask: Array = rle.decode(rle.merge(drawn)).astype(bool)
        return mask

    def as_json(self) -> object:
        return [one.tolist() for one in self.corners]


@dataclass(frozen=True)
class Runs:
    """Lengths in turn of what is outside and inside, along the columns of an image of height x width."""

    counts: Array
    height: int
    width: int

    @classmethod
    def of(cls, mask: Array) -> Runs:
        """Of bool [height, width]."""
        flat = np.concatenate([[False], mask.T.ravel()])
        ends = [*np.flatnonzero(np.diff(flat)), flat.size - 1]
        return cls(np.diff(ends, prepend=0), *mask.shape)

    def mask(self) -> Array:
        """bool [height, width]."""
        inside = np.arange(len(self.counts)) % 2 == 1
        flat: Array = np.repeat(inside, self.counts)
        return flat.reshape(self.width, self.height).T

    def sampled(self, box: Box, side: int) -> Array:
        """bool [side, side]: at the middles of so many cells of a box."""
        x, y, width, height = box
        middle = (np.arange(side) + 0.5) / side
        rows = np.clip(y + middle * height, 0, self.height - 1).astype(int)
        columns = np.clip(x + middle * width, 0, self.width - 1).astype(int)
        found: Array = self.mask()[np.ix_(rows, columns)]
        return found

    def as_json(self) -> object:
        return {"counts": self.counts.tolist(), "size": [self.height, self.width]}


Shape = Polygons | Runs


def shape(raw: Any, height: int, width: int) -> Shape:
    """From an annotation's `segmentation`, of an image of this size. Raises: ValueError with what is wrong."""
    if isinstance(raw, dict):
        return _runs(raw, height, width)
    if not isinstance(raw, list) or not raw:
        raise ValueError("its segmentation is neither polygons nor runs")
    return Polygons([_corners(one, height, width) for one in raw])


def _corners(raw: Any, height: int, width: int) -> Array:
    """At least three; further outside than the image is large are none of it."""
    if not isinstance(raw, list) or len(raw) % 2 or not 6 <= len(raw) <= MOST_NUMBERS:
        raise ValueError("a polygon of it is no list of three corners or more")
    if not all(isinstance(one, int | float) and math.isfinite(one) for one in raw):
        raise ValueError("a polygon of it has corners that are no numbers")
    corners = np.array(raw, float)
    sizes = np.array([width, height] * (len(raw) // 2))
    if (corners < -sizes).any() or (corners > 2 * sizes).any():
        raise ValueError("a polygon of it lies far outside of the image")
    return corners


def _runs(raw: dict[str, Any], height: int, width: int) -> Runs:
    counts = raw.get("counts")
    if raw.get("size") != [height, width]:
        raise ValueError("its runs are of another size than the image")
    lengths = _uncompressed(counts) if isinstance(counts, str) else counts
    if not isinstance(lengths, list) or not 0 < len(lengths) <= MOST_NUMBERS:
        raise ValueError("its runs are no list of lengths")
    if not all(isinstance(one, int) and 0 <= one <= height * width for one in lengths):
        raise ValueError("its runs have lengths that cannot be")
    if sum(lengths) != height * width:
        raise ValueError("its runs do not fill the image")
    return Runs(np.array(lengths, np.int64), height, width)


def _uncompressed(text: str) -> list[int]:
    """Five bits a character, from 48 on, of which the sixth says that more follow.

    From the fourth number on it is the difference to the one before last.
    """
    counts: list[int] = []
    value = shift = 0
    for character in text[:MOST_NUMBERS]:
        part = ord(character) - 48
        if not 0 <= part < 64 or shift > 30:
            raise ValueError("its runs are not compressed as COCO's are")
        value |= (part & 31) << shift
        shift += 5
        if not part & 32:
            negative = -1 << shift if part & 16 else 0
            counts.append((value | negative) + (counts[-2] if len(counts) > 2 else 0))
            value = shift = 0
    return counts
