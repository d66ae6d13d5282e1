"""A split of COCO as its JSON file tells it (Lin et al. 2014, arXiv:1405.0312): read piece by piece, and checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import IO, Any

from harness.datasets.coco_shapes import Box, Shape, shape
from harness.datasets.json_lists import elements
from harness.errors import DataError

Opened = Callable[[], AbstractContextManager[IO[bytes]]]  # the JSON file, from its beginning
LARGEST_SIDE = 1 << 13  # of an image; official ones have at most 640
LARGEST_NUMBER = (
    1 << 53
)  # of an entry, which the judge's code holds in 64 bits; official ones have up to 12 digits
MOST_CLASSES = 255  # which are prepared in 8 bits
LONGEST_WORD = 60
THINNEST = 1e-3  # pixels of a box that can be found; published numbers have two digits behind the point


@dataclass(frozen=True, slots=True)
class Thing:
    """An object, or a crowd of them, in pixels of the image as published; its class is a number from 1 on."""

    number: int
    box: Box
    area: float
    label: int
    crowd: bool
    shape: Shape | None = None

    def corners(self, height: int, width: int) -> tuple[float, float, float, float]:
        """x1, y1, x2, y2 of its box within the image."""
        x, y, wide, high = self.box
        return max(x, 0.0), max(y, 0.0), min(x + wide, width), min(y + high, height)


@dataclass(frozen=True, slots=True)
class Picture:
    """An image as published."""

    number: int
    file_name: str
    height: int
    width: int
    things: list[Thing] = field(default_factory=list)

    def shown(self) -> list[Thing]:
        """Those whose boxes have an area within the image, in the order of their numbers."""
        return sorted((one for one in self.things if self._shows(one)), key=lambda one: one.number)

    def _shows(self, thing: Thing) -> bool:
        x1, y1, x2, y2 = thing.corners(self.height, self.width)
        return min(x2 - x1, y2 - y1) >= THINNEST


@dataclass(frozen=True)
class Annotations:
    """Pictures in the order of their numbers, and the names of the classes from 1 on."""

    pictures: list[Picture]
    classes: list[str]


def read(opened: Opened, where: str, shapes: bool) -> Annotations:
    """All of a file; without `shapes` their memory is spared.

    Raises: DataError naming `where` and the first thing that cannot be.
    """
    try:
        pictures = _unique(map(_picture, _members(opened, "images")))
        categories = _unique(map(_category, _members(opened, "categories")))
        if len(categories) > MOST_CLASSES:
            raise ValueError(f"it has {len(categories)} categories, more than {MOST_CLASSES}")
        labels = {number: label for label, number in enumerate(sorted(categories), 1)}
        for raw in _members(opened, "annotations"):
            _add(raw, pictures, labels, shapes)
    except (ValueError, OverflowError, RecursionError) as error:
        raise DataError(f"{where} is not as COCO's annotations are: {_short(error)}") from error
    ordered = [pictures[number] for number in sorted(pictures)]
    return Annotations(ordered, [categories[number].name for number in labels])


def _members(opened: Opened, key: str) -> Iterator[Any]:
    with opened() as file:
        yield from elements(file, key)


@dataclass(frozen=True)
class _Category:
    number: int
    name: str


def _unique(several: Iterator[Any]) -> dict[int, Any]:
    found: dict[int, Any] = {}
    for one in several:
        if one.number in found:
            raise ValueError(f"two {type(one).__name__.strip('_').lower()} entries have the id {one.number}")
        found[one.number] = one
    if not found:
        raise ValueError("it lacks images or categories")
    return found


def _picture(raw: Any) -> Picture:
    number, name = _whole(raw, "id"), _of(raw, "file_name")
    height, width = _whole(raw, "height"), _whole(raw, "width")
    if not isinstance(name, str):
        raise ValueError(f"image {number} has no file_name")
    if not (0 < height <= LARGEST_SIDE and 0 < width <= LARGEST_SIDE):
        raise ValueError(f"image {number} is said to be {width}x{height}")
    return Picture(number, name, height, width)


def _category(raw: Any) -> _Category:
    return _Category(_whole(raw, "id"), str(_of(raw, "name")))


def _add(raw: Any, pictures: dict[int, Picture], labels: dict[int, int], shapes: bool) -> None:
    number, image, category = _whole(raw, "id"), _whole(raw, "image_id"), _whole(raw, "category_id")
    if image not in pictures:
        raise ValueError(f"annotation {number} is of image {image}, which is not in its list")
    if category not in labels:
        raise ValueError(f"annotation {number} is of category {category}, which is not in its list")
    picture = pictures[image]
    try:
        found = shape(_of(raw, "segmentation"), picture.height, picture.width) if shapes else None
        thing = Thing(number, _box(raw), _area(raw), labels[category], _is_crowd(raw), found)
    except ValueError as error:
        raise ValueError(f"annotation {number}: {error}") from error
    picture.things.append(thing)


def _box(raw: Any) -> Box:
    found = _of(raw, "bbox")
    if not isinstance(found, list) or len(found) != 4 or not all(map(_is_number, found)):
        raise ValueError("its bbox is not four numbers")
    x, y, width, height = map(float, found)
    if width < 0 or height < 0 or max(map(abs, found)) > LARGEST_SIDE:
        raise ValueError(f"its bbox cannot be: {_short(found)}")
    return x, y, width, height


def _of(raw: Any, key: str) -> Any:
    if not isinstance(raw, dict) or key not in raw:
        raise ValueError(f"an entry has no {key}: {_short(raw)}")
    return raw[key]


def _whole(raw: Any, key: str) -> int:
    found = _of(raw, key)
    if not isinstance(found, int) or isinstance(found, bool):
        raise ValueError(f"{key} is no whole number: {_short(found)}")
    if not 0 <= found < LARGEST_NUMBER:
        raise ValueError(f"{key} cannot be: {_short(found)}")
    return found


def _is_crowd(raw: Any) -> bool:
    if (found := _whole(raw, "iscrowd")) > 1:
        raise ValueError(f"iscrowd is neither 0 nor 1: {found}")
    return found == 1


def _area(raw: Any) -> float:
    if (found := _number(raw, "area")) > LARGEST_SIDE**2:
        raise ValueError(f"its area cannot be: {found}")
    return found


def _number(raw: Any, key: str) -> float:
    found = _of(raw, key)
    if not _is_number(found) or found < 0:
        raise ValueError(f"its {key} cannot be: {_short(found)}")
    return float(found)


def _is_number(found: Any) -> bool:
    return isinstance(found, int | float) and math.isfinite(found)


def _short(found: object) -> str:
    words = " ".join(str(found).split())
    return words if len(words) <= 4 * LONGEST_WORD else f"{words[: 4 * LONGEST_WORD]}..."
