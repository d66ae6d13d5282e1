"""`suite.detection` in Keras, on every backend: the same rules, of any number of images and classes at once.

XLA on a CPU multiplies and adds in one rounding. Where boxes are compared it must not, or of two that are equally good
it would choose another than the others: it does not see a product behind `abs`.
"""

from __future__ import annotations

from math import inf
from typing import Any

from keras import ops

from suite.detection.boxes import LARGEST_GROWTH, SMALLEST_SIZE
from suite.detection.matching import BACKGROUND, IGNORED
from suite.detection.suppression import NONE
from suite.keras_backends import BACKEND

Weights = tuple[float, ...]


def areas(boxes: Any) -> Any:
    """[..., 4] -> [...]."""
    size = ops.maximum(boxes[..., 2:] - boxes[..., :2], 0)
    return ops.abs(size[..., 0] * size[..., 1])


def intersections(one: Any, other: Any) -> Any:
    """[..., n, 4] and [..., m, 4] -> [..., n, m]."""
    one, other = ops.expand_dims(one, -2), ops.expand_dims(other, -3)
    width, height = (
        ops.maximum(
            ops.minimum(one[..., far], other[..., far]) - ops.maximum(one[..., near], other[..., near]), 0
        )
        for near, far in ((0, 2), (1, 3))
    )
    return ops.abs(width * height)


def iou(one: Any, other: Any) -> Any:
    """[..., n, 4] and [..., m, 4] -> [..., n, m]; 0 where the union is empty."""
    shared = intersections(one, other)
    return _share(shared, ops.expand_dims(areas(one), -1) + ops.expand_dims(areas(other), -2) - shared)


def covered(one: Any, other: Any) -> Any:
    """Which share of each of `other` [..., m, 4] lies in each of `one` [..., n, 4] -> [..., n, m]."""
    return _share(intersections(one, other), ops.expand_dims(areas(other), -2))


def clipped(boxes: Any, height: float, width: float) -> Any:
    """Cut at the edges of images of one size."""
    edges = ops.convert_to_tensor([width, height, width, height], boxes.dtype)
    return ops.minimum(ops.maximum(boxes, 0), edges)


def encode(boxes: Any, anchors: Any, weights: Weights) -> Any:
    """Boxes [..., 4], each seen from its anchor [..., 4] -> deltas [..., 4]."""
    centre, size = _centred(boxes)
    from_centre, from_size = _centred(anchors)
    deltas = ops.concatenate([(centre - from_centre) / from_size, ops.log(size / from_size)], -1)
    return deltas * ops.convert_to_tensor(weights, deltas.dtype)


def decode(deltas: Any, anchors: Any, weights: Weights) -> Any:
    """`encode` undone."""
    from_centre, from_size = _centred(anchors)
    shift, growth = ops.split(deltas / ops.convert_to_tensor(weights, deltas.dtype), 2, -1)
    centre = from_centre + shift * from_size
    half = ops.exp(ops.minimum(growth, _constant(LARGEST_GROWTH, growth))) * from_size / 2
    return ops.concatenate([centre - half, centre + half], -1)


def match(
    iou: Any,
    valid: Any,
    low: float,
    high: float,
    force_best: bool,
    all_ties: bool = False,
    ignored: Any = None,
) -> Any:
    """Truth of each anchor, int [..., anchors], by `iou` [..., truths, anchors] and `valid` [..., truths]."""
    overlap = ops.where(ops.expand_dims(valid, -1), iou, _constant(-1, iou))
    most, truth = ops.max(overlap, -2), _argmax(overlap, -2)
    background, not_told = (ops.full_like(truth, one) for one in (BACKGROUND, IGNORED))
    found = ops.where(most >= high, truth, ops.where(most >= low, not_told, background))
    if ignored is not None:
        found = ops.where(ops.logical_and(found == BACKGROUND, ignored), not_told, found)
    if force_best:
        claims = _claims(overlap, all_ties)
        found = ops.where(ops.any(claims, -2), _argmax(ops.cast(claims, "int32"), -2), found)
    return found


def crowded(boxes: Any, crowd: Any, anchors: Any, share: float) -> Any:
    """Anchors [..., m, 4] that lie in a crowd of boxes [..., n, 4] -> bool [..., m]."""
    return ops.any(ops.logical_and(covered(boxes, anchors) >= share, ops.expand_dims(crowd, -1)), -2)


def best(scores: Any, most: int) -> tuple[Any, Any]:
    """The largest of [..., n], and their indices [..., most]; of equals the lowest first."""
    most = min(most, scores.shape[-1])
    if BACKEND != "torch":
        return ops.top_k(scores, most)
    places = ops.argsort(-scores, -1)[..., :most]  # its `top_k` says nothing of equals
    return ops.take_along_axis(scores, places, -1), places


def survivors(boxes: Any, there: Any, threshold: float, classes: Any = None) -> Any:
    """Which of boxes [..., n, 4], the best first, no better survivor suppresses: bool [..., n]; others are padding.

    With `classes` [..., n] a box suppresses those of its own alone.

    What each step gives the first boxes, it gives one more rightly: it ends where nothing changes, after few.
    """
    places = ops.arange(boxes.shape[-2])
    suppresses = ops.logical_and(iou(boxes, boxes) > threshold, ops.expand_dims(places, -1) < places)
    if classes is not None:
        alike = ops.expand_dims(classes, -1) == ops.expand_dims(classes, -2)
        suppresses = ops.logical_and(suppresses, alike)

    def step(kept: Any) -> Any:
        by_them = ops.any(ops.logical_and(suppresses, ops.expand_dims(kept, -1)), -2)
        return ops.logical_and(there, ops.logical_not(by_them))

    def changed(before: Any, kept: Any) -> Any:
        return ops.any(before != kept)

    return ops.while_loop(changed, lambda _, kept: (kept, step(kept)), (there, step(there)))[1]


def nms(boxes: Any, scores: Any, threshold: float, most: int) -> Any:
    """Indices of the boxes [..., n, 4] that are kept, the best score [..., n] first: [..., most], padded with NONE."""
    values, order = best(scores, scores.shape[-1])
    kept = survivors(taken(boxes, order), values > -inf, threshold)
    first = best(ops.cast(kept, "int32"), most)[1]
    places = ops.take_along_axis(order, first, -1)
    found = ops.where(ops.take_along_axis(kept, first, -1), places, ops.full_like(places, NONE))
    behind = [[0, 0]] * (len(found.shape) - 1) + [[0, most - found.shape[-1]]]
    return ops.pad(found, behind, constant_values=NONE)


def taken(boxes: Any, places: Any) -> Any:
    """Of [..., n, 4] those at [..., m] -> [..., m, 4]."""
    return ops.take_along_axis(boxes, ops.expand_dims(places, -1), -2)


def _argmax(values: Any, axis: int) -> Any:
    return ops.cast(ops.argmax(values, axis), "int32")


def _claims(overlap: Any, all_ties: bool) -> Any:
    """Whether a truth has an anchor as its best, bool [..., truths, anchors]."""
    best_overlap = ops.max(overlap, -1, keepdims=True)
    if all_ties:
        chosen = overlap == best_overlap
    else:
        chosen = ops.arange(overlap.shape[-1], dtype="int32") == ops.expand_dims(_argmax(overlap, -1), -1)
    return ops.logical_and(chosen, best_overlap > 0)


def _share(part: Any, whole: Any) -> Any:
    """0 of nothing."""
    there = whole > 0
    return ops.where(there, part / ops.where(there, whole, ops.ones_like(whole)), ops.zeros_like(part))


def _centred(boxes: Any) -> tuple[Any, Any]:
    """Centres and sizes [..., 2]."""
    size = boxes[..., 2:] - boxes[..., :2]
    return boxes[..., :2] + size / 2, ops.maximum(size, _constant(SMALLEST_SIZE, size))


def _constant(value: float, like: Any) -> Any:
    """A float of Python would be rounded to 32 bits."""
    return ops.convert_to_tensor(value, like.dtype)
