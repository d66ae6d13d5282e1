"""What is to be found in pictures: arrays for whoever trains, and the judge's own file in COCO's form."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from harness.datasets.base import Array
from harness.datasets.coco_annotations import Picture, Thing
from harness.datasets.growing import GrowingArray
from harness.errors import DataError
from suite.detection.masks import MASK_SIDE, PACKED_BYTES, packed

TRUTH = "truth.json"  # beside the arrays: of the test split, in COCO's form and pixels as published


@dataclass(frozen=True)
class Form:
    """How pictures are prepared: `side` of the canvas; `upright`: with their aspect kept, from the top left.

    most: objects that a picture has room for; shapes: whether masks are prepared, too.
    """

    side: int
    upright: bool
    most: int
    shapes: bool

    def extent(self, picture: Picture) -> tuple[int, int]:
        """Height and width that a picture takes of its canvas."""
        if not self.upright:
            return self.side, self.side
        longest = max(picture.height, picture.width)
        return _scaled(picture.height, self.side, longest), _scaled(picture.width, self.side, longest)

    def rows(self, picture: Picture) -> dict[str, Array]:
        """Of each array its row: what is to be found in a picture.

        Raises: DataError where there is more than room for.
        """
        things = picture.shown()
        if len(things) > self.most:
            raise DataError(
                f"image {picture.number} has {len(things)} objects, more than the {self.most} that there is room for"
            )
        found: dict[str, Array] = {
            "boxes": np.array([self._box(picture, one) for one in things], np.float32).reshape(-1, 4),
            "class": np.array([one.label for one in things], np.uint8),
            "crowd": np.array([one.crowd for one in things], bool),
        }
        if self.shapes:
            found["mask"] = np.array([_mask(picture, one) for one in things], np.uint8).reshape(
                -1, PACKED_BYTES
            )
        padded = {name: _padded(rows, self.most) for name, rows in found.items()}
        return padded | ({"extent": np.array(self.extent(picture), np.int32)} if self.upright else {})

    def row_bytes(self, picture: Picture) -> int:
        """What one takes on disk, which is the same of each."""
        return 3 * self.side**2 + sum(row.nbytes for row in self.rows(picture).values())

    def _box(self, picture: Picture, thing: Thing) -> Array:
        """x1, y1, x2, y2 on the canvas."""
        height, width = self.extent(picture)
        scale = np.array([width / picture.width, height / picture.height] * 2)
        found: Array = np.array(thing.corners(picture.height, picture.width)) * scale
        return found


def _scaled(length: int, side: int, longest: int) -> int:
    """Rounded to the nearest, in whole numbers; at least 1."""
    return max(1, (2 * length * side + longest) // (2 * longest))


def _mask(picture: Picture, thing: Thing) -> Array:
    if thing.crowd or thing.shape is None:
        return np.zeros(PACKED_BYTES, np.uint8)
    x1, y1, x2, y2 = thing.corners(picture.height, picture.width)
    return packed(thing.shape.sampled((x1, y1, x2 - x1, y2 - y1), MASK_SIDE))


def _padded(rows: Array, length: int) -> Array:
    return np.concatenate([rows, np.zeros((length - len(rows), *rows.shape[1:]), rows.dtype)])


def write(place: Path, split: str, pictures: Sequence[Picture], form: Form) -> None:
    """`<split>_boxes.npy` and its like, a row a picture: memory holds one."""
    with ExitStack() as stack:
        first = form.rows(pictures[0])
        arrays = {
            name: stack.enter_context(GrowingArray(place / f"{split}_{name}.npy", row.dtype, row.shape))
            for name, row in first.items()
        }
        for picture in pictures:
            for name, row in form.rows(picture).items():
                arrays[name].append(row[np.newaxis])


def write_truth(place: Path, pictures: Sequence[Picture], classes: Sequence[str], form: Form) -> None:
    """All annotations, also those that cannot be found, numbered from 1 on as the judge wants them; so are classes."""
    things = ((picture, thing) for picture in pictures for thing in picture.things)
    told = {
        "images": [
            {"id": one.number, "height": one.height, "width": one.width, "extent": list(form.extent(one))}
            for one in pictures
        ],
        "annotations": [
            {"id": number, **_annotation(picture, thing)} for number, (picture, thing) in enumerate(things, 1)
        ],
        "categories": [{"id": label, "name": name} for label, name in enumerate(classes, 1)],
    }
    (place / TRUTH).write_text(json.dumps(told))


def _annotation(picture: Picture, thing: Thing) -> dict[str, object]:
    told = {
        "image_id": picture.number,
        "category_id": thing.label,
        "bbox": list(thing.box),
        "area": thing.area,
        "iscrowd": int(thing.crowd),
    }
    return told | ({} if thing.shape is None else {"segmentation": thing.shape.as_json()})
