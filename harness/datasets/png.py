"""PNG images, decoded by Pillow, which only a data set of PNG files needs."""

from __future__ import annotations

import importlib
import io
import struct
import zlib
from typing import Any

import numpy as np

from harness.datasets.base import Array
from harness.errors import DataError, MissingPrerequisite

MOST_PIXELS = 1 << 20  # official cells have fewer than 200 000
DAMAGED = (
    OSError,
    SyntaxError,
    ValueError,
    EOFError,
    struct.error,
    zlib.error,
)  # Pillow says "broken PNG" so


def pillow() -> Any:
    """Pillow's module Image. Raises: MissingPrerequisite if it is not installed."""
    try:
        return importlib.import_module("PIL.Image")
    except ImportError as error:
        raise MissingPrerequisite("Pillow is needed to read images: python -m pip install pillow") from error


def decode(content: bytes, where: str) -> Array:
    """A PNG file of any colour type -> uint8 [height, width, 3].

    Raises: DataError naming `where`, if it is damaged or too large; MissingPrerequisite without Pillow.
    """
    library = pillow()
    try:
        with library.open(io.BytesIO(content), formats=["PNG"]) as image:
            if image.width * image.height > MOST_PIXELS:
                raise DataError(f"{where} has {image.width}x{image.height} pixels, more than {MOST_PIXELS}")
            return np.asarray(image.convert("RGB"))
    except (*DAMAGED, library.DecompressionBombError) as error:
        raise DataError(f"{where} is not a whole PNG image: {error}") from error
