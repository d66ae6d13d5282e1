"""Stand-ins for COCO: shapes in their class's colour on noise, one crowd in each split, and images with nothing."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from harness.datasets import coco_truths
from harness.datasets.base import Array, OfficialFile
from harness.datasets.coco_annotations import Picture, Thing
from harness.datasets.coco_shapes import Runs
from harness.datasets.coco_truths import Form

CLASSES = ("red box", "green disc", "blue box", "yellow disc")
COLOURS = np.array([(200, 60, 60), (60, 200, 60), (60, 60, 200), (200, 200, 60)], np.int16)
TRAIN_IMAGES, TEST_IMAGES = 256, 64
NOISE = 40  # largest deviation from mid-grey, or from a class's colour
QUARTERS = (
    (0, 0),
    (0, 1),
    (1, 0),
    (1, 1),
)  # of an image: each has one thing at most, so that none hides another
NOTHING_IN = 8  # one of so many images of the test has nothing
CROWDED = 3  # things of a crowd


class SyntheticCoco:
    """An image is as large as its canvas, or three quarters as high where canvases keep the aspect."""

    files: tuple[OfficialFile, ...] = ()

    def __init__(self, official: str, form: Form) -> None:
        self.name, self.form = f"synthetic-{official}", form
        self.title = f"SYNTHETIC stand-in with the arrays of {official}, {form.side} pixels; not its images"
        self.size = (form.side * 3 // 4 if form.upright else form.side), form.side

    def write(self, official: Path, place: Path) -> None:
        generator = np.random.RandomState(zlib.crc32(self.name.encode()))
        for split, images in (("train", TRAIN_IMAGES), ("test", TEST_IMAGES)):
            drawn = [self._drawn(generator, number, split == "test") for number in range(images)]
            pictures = [picture for picture, _ in drawn]
            np.save(place / f"{split}_image.npy", np.stack([image for _, image in drawn]))
            coco_truths.write(place, split, pictures, self.form)
        coco_truths.write_truth(place, pictures, CLASSES, self.form)

    def _drawn(self, generator: np.random.RandomState, number: int, of_test: bool) -> tuple[Picture, Array]:
        picture = Picture(number + 1, "", *self.size)
        levels = 128 + _noise(generator, self.size)
        if not (of_test and number % NOTHING_IN == NOTHING_IN - 1):
            picture.things.extend(self._things(generator, number))
        for thing, mask in ((one, one.shape.mask()) for one in picture.things if isinstance(one.shape, Runs)):
            levels[mask] = COLOURS[thing.label - 1] + _noise(generator, self.size)[mask]
        canvas = np.zeros((self.form.side, self.form.side, 3), np.uint8)
        canvas[: self.size[0]] = levels
        return picture, canvas

    def _things(self, generator: np.random.RandomState, number: int) -> Iterator[Thing]:
        """One to four, of which the first image's second is a crowd."""
        several = generator.randint(2 if number == 0 else 1, len(QUARTERS) + 1)
        for place, quarter in enumerate(generator.permutation(len(QUARTERS))[:several]):
            label, crowd = int(generator.randint(1, len(CLASSES) + 1)), number == 0 and place == 1
            masks = [
                self._mask(generator, *QUARTERS[quarter], label % 2 == 0)
                for _ in range(CROWDED if crowd else 1)
            ]
            yield _thing(10 * number + place, np.logical_or.reduce(masks), label, crowd)

    def _mask(self, generator: np.random.RandomState, down: int, right: int, disc: bool) -> Array:
        """bool [height, width]: a box or a disc somewhere in a quarter, a third as large or larger."""
        height, width = (length // 2 for length in self.size)
        high, wide = generator.randint(height // 3, height), generator.randint(width // 3, width)
        y, x = generator.randint(height - high), generator.randint(width - wide)
        rows, columns = np.ogrid[: self.size[0], : self.size[1]]
        rows, columns = rows - y - down * height, columns - x - right * width
        inside: Array = (rows >= 0) & (rows < high) & (columns >= 0) & (columns < wide)
        if disc:
            inside &= ((2 * columns + 1 - wide) * high) ** 2 + ((2 * rows + 1 - high) * wide) ** 2 <= (
                wide * high
            ) ** 2
        return inside


def _noise(generator: np.random.RandomState, size: tuple[int, int]) -> Array:
    return generator.randint(-NOISE, NOISE + 1, (*size, 3), np.int16)


def _thing(number: int, mask: Array, label: int, crowd: bool) -> Thing:
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    x, y = float(columns[0]), float(rows[0])
    box = x, y, float(columns[-1] + 1 - x), float(rows[-1] + 1 - y)
    return Thing(number, box, float(mask.sum()), label, crowd, Runs.of(mask))
