"""Stand-ins for official data sets: made here, always named synthetic, learnable, free of wrong labels.

They have the shapes and types of the real examples, so that every workload can be tried without a download; what a
model reaches on them says nothing of the real data. Only whole numbers of NumPy's RandomState are used, whose stream
is frozen (NEP 19): the bytes are the same on every machine.
"""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np

from harness.datasets import parts
from harness.datasets.base import Array, OfficialFile
from harness.datasets.tokens import FIRST_WORD, PADDING

TRAIN_SAMPLES, TEST_SAMPLES = 2048, 512  # whole batches of every usual size
GRID = 4  # an image's class shows in 4x4 coarse cells
CONTRAST, CELL_NOISE, PIXEL_NOISE = 20, 30, 20  # largest deviation from mid-grey, of 128 levels
CLASS_WORDS, COMMON_WORDS = 50, 2000
SHORTEST, LONGEST = 5, 40  # words of a sentence


class _StandIn:
    files: tuple[OfficialFile, ...] = ()

    def __init__(self, official: str, shape: tuple[int, ...], classes: int) -> None:
        self.name = f"synthetic-{official}"
        self.title = f"SYNTHETIC stand-in with the shapes of {official}; not its data"
        self.shape, self.classes = shape, classes

    def _start(self) -> tuple[np.random.RandomState, Array]:
        """A generator seeded by the name, and balanced labels of all samples in random order."""
        generator = np.random.RandomState(zlib.crc32(self.name.encode()))
        return generator, generator.permutation(TRAIN_SAMPLES + TEST_SAMPLES) % self.classes

    def _split(self, x: Array, y: Array) -> dict[str, Array]:
        n = TRAIN_SAMPLES
        splits = (x[:n], y[:n]), (x[n:], y[n:])
        return parts.checked(self.name, *splits, self.shape, self.classes, x.dtype.type)


class SyntheticImages(_StandIn):
    """Each class is a coarse pattern, each image that pattern under noise of its cells and of its pixels."""

    def arrays(self, folder: Path) -> dict[str, Array]:
        generator, y = self._start()

        def noise(count: int, sides: tuple[int, int], most: int) -> Array:
            return generator.randint(-most, most + 1, (count, *sides, *self.shape[2:]), np.int16)

        height, width = self.shape[:2]
        patterns = noise(self.classes, (GRID, GRID), CONTRAST)
        cells = patterns[y] + noise(len(y), (GRID, GRID), CELL_NOISE)
        images = cells.repeat(height // GRID, axis=1).repeat(width // GRID, axis=2)
        images += 128 + noise(len(y), (height, width), PIXEL_NOISE)
        return self._split(images.astype(np.uint8), y)  # within 128 +- 70: nothing wraps


class SyntheticSentences(_StandIn):
    """Rows of word numbers; about a quarter of a sentence's words, and at least one, belong to its class alone."""

    def __init__(self, official: str, length: int, classes: int) -> None:
        super().__init__(official, (length,), classes)

    def arrays(self, folder: Path) -> dict[str, Array]:
        generator, y = self._start()
        (length,), count = self.shape, len(y)
        first_common = FIRST_WORD + self.classes * CLASS_WORDS
        rows = generator.randint(first_common, first_common + COMMON_WORDS, (count, length), np.int32)
        own = FIRST_WORD + y[:, np.newaxis] * CLASS_WORDS + generator.randint(0, CLASS_WORDS, rows.shape)
        telling = generator.randint(0, 4, rows.shape) == 0
        telling[np.arange(count), length - 1 - generator.randint(0, SHORTEST, count)] = True
        rows = np.where(telling, own, rows).astype(np.int32)
        words = generator.randint(SHORTEST, LONGEST + 1, (count, 1))
        rows[np.arange(length) < length - words] = PADDING
        return self._split(rows, y)
