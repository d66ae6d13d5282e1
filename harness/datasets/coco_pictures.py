"""COCO's photographs, decoded and brought to their canvas by Pillow, once, for every framework."""

from __future__ import annotations

import io

import numpy as np

from harness.datasets.base import Array
from harness.datasets.coco_annotations import Picture
from harness.datasets.coco_truths import Form
from harness.datasets.png import DAMAGED, pillow
from harness.errors import DataError


def canvas(content: bytes, picture: Picture, form: Form, where: str) -> Array:
    """A JPEG file -> uint8 [side, side, 3], bilinear over the area, 0 where the picture is not. Grey becomes RGB.

    EXIF's orientation is not looked at: COCO's boxes are of the pixels as they are stored.

    Raises: DataError naming `where`, if it is damaged or of another size than its annotations are of.
    """
    library = pillow()
    height, width = form.extent(picture)
    found = np.zeros((form.side, form.side, 3), np.uint8)
    try:
        with library.open(io.BytesIO(content), formats=["JPEG"]) as image:
            if image.size != (picture.width, picture.height):  # before it is decoded, however large it is
                raise DataError(
                    f"{where} has {image.width}x{image.height} pixels, its annotations are of "
                    f"{picture.width}x{picture.height}"
                )
            found[:height, :width] = image.convert("RGB").resize((width, height), library.BILINEAR)
    except (*DAMAGED, library.DecompressionBombError) as error:
        raise DataError(f"{where} is not a whole JPEG image: {error}") from error
    return found
