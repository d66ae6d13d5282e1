"""The IDX format of MNIST and its kin: two zero bytes, a type, the number of dimensions, sizes, bytes."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from harness.datasets import parts
from harness.datasets.base import Array
from harness.errors import DataError

UNSIGNED_BYTE = 8
SHAPE, CLASSES = (28, 28), 10  # of MNIST and its kin


def read_gzipped(path: Path) -> Array:
    """A gzipped IDX file of unsigned bytes -> uint8 array of its shape.

    Raises: DataError if the file is cut short, has bytes to spare or is of another format.
    """
    try:
        content = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path} is not a whole gzip file: {error}") from error
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] != UNSIGNED_BYTE:
        raise DataError(f"{path} is not an IDX file of unsigned bytes")
    header = 4 + 4 * content[3]
    shape = np.frombuffer(content[4:header], dtype=">u4").astype(int)
    if len(content) != header + int(shape.prod()):
        raise DataError(f"{path} holds {len(content) - header} bytes where its header says {shape.prod()}")
    return np.frombuffer(content, dtype=np.uint8, offset=header).reshape(shape)


def like_mnist(name: str, paths: Sequence[Path]) -> dict[str, Array]:
    """The four parts from training images, training labels, test images and test labels.

    Raises: DataError as read_gzipped, or if shapes or labels are not those of MNIST.
    """
    train_x, train_y, test_x, test_y = map(read_gzipped, paths)
    return parts.checked(name, (train_x, train_y), (test_x, test_y), SHAPE, CLASSES)
