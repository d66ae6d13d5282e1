"""Photographs of any kind and size, decoded by Pillow and brought to one square size, once, for every framework."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from harness.datasets.base import Array
from harness.datasets.png import DAMAGED, pillow
from harness.errors import DataError

FORMATS = ("JPEG", "PNG")
MOST_PIXELS = 1 << 26  # decoded at once: 200 MB
DEEP = (
    "I;16",
    "I;16B",
    "I;16L",
    "I",
)  # Pillow's modes of 16 bits, of which it would cut off the brighter half


def square(path: Path, side: int) -> Array:
    """Upright, the centre square of the shorter side, scaled to uint8 [side, side, 3] (bilinear, over the area).

    Grey, palette and CMYK become RGB, 16 bits become 8, and transparency is left out.

    Raises: DataError naming a file that is damaged, of another format, or too large.
    """
    library = pillow()
    try:
        with library.open(path, formats=FORMATS) as image:
            if image.width * image.height > MOST_PIXELS:
                raise DataError(f"{path} has {image.width}x{image.height} pixels, more than {MOST_PIXELS}")
            image.load()
            upright = _in_rgb(_turned(image, library), library)
            return np.asarray(upright.resize((side, side), library.BILINEAR, box=_centre(upright.size)))
    except (*DAMAGED, library.DecompressionBombError) as error:
        raise DataError(f"{path} is not a whole image ({' or '.join(FORMATS)}): {error}") from error


def _turned(image: Any, library: Any) -> Any:
    """As its EXIF says that it was held; some cameras' cannot be read, and the image is as it is."""
    from PIL import ImageOps

    try:
        return ImageOps.exif_transpose(image)
    except DAMAGED:
        return image


def _in_rgb(image: Any, library: Any) -> Any:
    if image.mode in DEEP:
        image = library.fromarray((np.asarray(image).clip(0, 0xFFFF) >> 8).astype(np.uint8))
    return image if image.mode == "RGB" else image.convert("RGB")


def _centre(size: tuple[int, int]) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of the largest square in the middle."""
    side = min(size)
    left, top = ((length - side) / 2 for length in size)
    return left, top, left + side, top + side
