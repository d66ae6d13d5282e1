"""What a detector answered, held against what can be, and told as COCO's results, in pixels of images as published."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from faster_coco_eval.core import mask as rle

from harness.datasets.coco_truths import TRUTH
from harness.judges import Answers
from suite.detection.answers import BOX_UNIT, MASK_SIDE, MASK_UNIT, MOST_DETECTIONS, SCORE_UNIT

Array = np.ndarray[Any, Any]
SHORTEST_SPAN = 1e-9  # of a box without width or height, in which no pixel lies
Result = dict[str, object]


@dataclass(frozen=True)
class Truth:
    """Of a test split, in COCO's form: `truth.json` of a prepared data set."""

    coco: Mapping[str, Any]

    @classmethod
    def read(cls, data: Path) -> Truth:
        """Raises: ValueError where there is nothing to find: then there is no precision."""
        told = json.loads((data / TRUTH).read_text())
        if all(one["iscrowd"] for one in told["annotations"]):
            raise ValueError(f"{TRUTH} has no objects")
        return cls(told)

    @property
    def images(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.coco["images"]
        return found

    @property
    def classes(self) -> int:
        return len(self.coco["categories"])

    @property
    def side(self) -> int:
        """Of the canvas, which the longest side of an image fills."""
        return max(int(length) for image in self.images for length in image["extent"])


def results(answers: Answers, truth: Truth, masks: bool) -> list[Result]:
    """One of each detection, in the order of the images and of the answers.

    Raises: ValueError for answers that are none to these images.
    """
    _check(answers, truth, masks)
    found = []
    for row, image in enumerate(truth.images):
        height, width = image["extent"]
        scale = np.array([image["width"] / width, image["height"] / height] * 2) / BOX_UNIT
        for place in np.flatnonzero(answers["classes"][row]):
            box = answers["boxes"][row, place] * scale
            found.append(
                {
                    "image_id": image["id"],
                    "category_id": int(answers["classes"][row, place]),
                    "score": float(answers["scores"][row, place] / SCORE_UNIT),
                    **(_pasted(answers["masks"][row, place], box, image) if masks else _box(box)),
                }
            )
    return found


def _box(box: Array) -> Result:
    return {"bbox": [*box[:2].tolist(), *(box[2:] - box[:2]).tolist()]}


def _pasted(mask: Array, box: Array, image: Mapping[str, Any]) -> Result:
    """Runs of the pixels whose centres the mask [28, 28] of a box covers by more than half.

    Bilinear between the centres of the mask's cells, beyond which it falls to 0 (as Detectron pastes).
    """
    height, width = image["height"], image["width"]
    rows, columns = _inside(box[1], box[3], height), _inside(box[0], box[2], width)
    levels = np.pad(mask, 1).astype(np.float32)
    levels = _between(_between(levels, rows, box[1], box[3]).T, columns, box[0], box[2])
    column, row = np.divmod(np.flatnonzero(levels > MASK_UNIT / 2), max(len(rows), 1))
    pixels = (columns.start + column) * height + rows.start + row  # as COCO counts them, column by column
    begins = pixels[np.diff(pixels, prepend=-2) > 1]
    ends = pixels[np.diff(pixels, append=height * width + 1) > 1] + 1
    counts = np.diff([0, *np.stack([begins, ends], 1).ravel(), height * width])
    runs = {"counts": counts.tolist(), "size": [height, width]}
    return {"segmentation": rle.frPyObjects(runs, height, width)}


def _inside(near: float, far: float, length: int) -> range:
    """Which pixels' centres a span may have, within the image."""
    return range(int(near), min(length, int(np.ceil(far))))


def _between(levels: Array, pixels: range, near: float, far: float) -> Array:
    """Along the first axis of levels [30, n], of which the outermost lie beyond the box: [pixels, n]."""
    at = (np.array(pixels) + 0.5 - near) / max(far - near, SHORTEST_SPAN) * MASK_SIDE + 0.5
    at = np.clip(at, 0, MASK_SIDE + 1)
    before = np.minimum(at.astype(int), MASK_SIDE)
    share = (at - before).astype(np.float32)[:, np.newaxis]
    found: Array = levels[before] * (1 - share) + levels[before + 1] * share
    return found


def _check(answers: Answers, truth: Truth, masks: bool) -> None:
    wanted = {"boxes": (4,), "scores": (), "classes": ()} | (
        {"masks": (MASK_SIDE, MASK_SIDE)} if masks else {}
    )
    classes = answers.get("classes")
    most = classes.shape[1] if classes is not None and classes.ndim == 2 else 0
    if most > MOST_DETECTIONS:
        raise ValueError(f"they hold {most} detections of an image, more than {MOST_DETECTIONS}")
    for name, rest in wanted.items():
        shape = len(truth.images), most, *rest
        if name not in answers or answers[name].shape != shape:
            raise ValueError(f"they hold no {name} of {len(truth.images)} images, {shape}")
    bounds = {
        "boxes": truth.side * BOX_UNIT,
        "scores": SCORE_UNIT,
        "classes": truth.classes,
        "masks": MASK_UNIT,
    }
    for name in wanted:
        if answers[name].size and not 0 <= answers[name].min() <= answers[name].max() <= bounds[name]:
            raise ValueError(f"they hold {name} that are not from 0 to {bounds[name]}")
    if (answers["boxes"][..., 2:] < answers["boxes"][..., :2]).any():
        raise ValueError("they hold boxes that end before they begin")
