"""Which boxes Mask R-CNN looks at, in Keras: what it proposes, draws and detects."""

from __future__ import annotations

from math import inf
from typing import Any

from keras import ops

from suite.detection import masks
from suite.detection.answers import MASK_SIDE
from suite.detection.boxes import SMALLEST_SIZE
from suite.detection.keras_boxes import areas, best, decode, survivors, taken
from suite.mask_rcnn.layers import (
    BOX_WEIGHTS,
    MOST_PRIORITY,
    RPN_WEIGHTS,
)
from suite.mask_rcnn.spec import MaskRcnn

Boxes = tuple[Any, Any]  # [n, k, 4], and which of them are there


def proposed(spec: MaskRcnn, logits: Any, deltas: Any, edges: Any, training: bool) -> tuple[Boxes, Any]:
    """The best boxes by logits [n, anchors] and deltas [n, anchors, 4], and the anchor [n, proposals] of each."""
    several, never = [], constant(-inf, logits)
    asked = spec.asked_of_levels(training)
    for (first, end), most in zip(spec.level_bounds, asked, strict=True):
        values, places = best(logits[:, first:end], most)
        more = [[0, 0], [0, max(asked) - most]]
        several.append((ops.pad(values, more, constant_values=-inf), ops.pad(places + first, more)))
    values, places = (ops.stack(one, 1) for one in zip(*several, strict=True))  # [n, levels, most]
    levels, places = values.shape[1:], ops.reshape(places, (-1, len(asked) * max(asked)))
    anchors = ops.take(ops.convert_to_tensor(spec.all_anchors, deltas.dtype), places, axis=0)
    boxes = clipped(decode(taken(deltas, places), anchors, RPN_WEIGHTS), edges)
    there = ops.logical_and(values > never, ops.reshape(areas(boxes) > 0, (-1, *levels)))
    kept = survivors(ops.reshape(boxes, (-1, *levels, 4)), there, spec.rpn_overlap)
    values = ops.reshape(ops.where(kept, values, never), (-1, len(asked) * max(asked)))
    values, first = best(values, spec.proposals)
    return (taken(boxes, first), values > never), at(places, first)


def at(values: Any, places: Any) -> Any:
    """Of [n, k] those at [n, m]."""
    return ops.take_along_axis(values, places, -1)


def constant(value: float, like: Any) -> Any:
    """A float of Python would be rounded to 32 bits."""
    return ops.convert_to_tensor(value, like.dtype)


def clipped(boxes: Any, edges: Any) -> Any:
    """Boxes [n, k, 4] cut at each image's edges [n, 4]."""
    return ops.minimum(ops.maximum(boxes, 0), ops.expand_dims(edges, 1))


def drawn(priority: Any, positive: Any, negative: Any, count: int, share: int) -> tuple[Any, Any, Any]:
    """`count` of [n, k], positive ones first, one of `share` at most: places, which are positive, which are there."""
    last = best(ops.where(positive, priority, -1), count // share)[0][:, -1:]
    chosen = ops.logical_and(positive, priority >= last)
    keys = ops.where(chosen, priority + MOST_PRIORITY, ops.where(negative, priority, -1))
    values, places = best(keys, count)
    return places, values >= MOST_PRIORITY, values >= 0


def detected(spec: MaskRcnn, scores: Any, deltas: Any, rois: Boxes, edges: Any) -> tuple[Any, Any, Any]:
    """Boxes, confidences and classes, 0 of none, by scores [n, k, classes] and deltas [n, k * classes, 4]."""
    boxes, there = rois
    none = constant(-1, scores)
    scores = ops.where(ops.expand_dims(there, -1), scores, none)
    values, places = best(ops.reshape(scores, (-1, scores.shape[1] * spec.classes)), spec.box_candidates)
    classes = places % spec.classes
    decoded = decode(taken(deltas, places), taken(boxes, places // spec.classes), BOX_WEIGHTS)
    boxes = clipped(decoded, edges)
    probable = values >= constant(spec.least_score, values)
    kept = survivors(boxes, ops.logical_and(probable, areas(boxes) > 0), spec.box_overlap, classes)
    values, first = best(ops.where(kept, values, none), spec.detections)
    there, boxes, classes = values >= 0, taken(boxes, first), at(classes, first) + 1
    boxes = ops.where(ops.expand_dims(there, -1), boxes, ops.zeros_like(boxes))
    return boxes, ops.maximum(values, 0), ops.where(there, classes, ops.zeros_like(classes))


def mask_targets(true: Any, truths: Any, rois: Any) -> Any:
    """True masks [n, k, 56, 56], each in its box of `truths` [n, k, 4], as far as they lie in rois: [n, k, 28, 28]."""
    down, across = (_read(truths[..., axis::2], rois[..., axis::2]) for axis in (1, 0))
    return ops.matmul(ops.matmul(down, true), ops.swapaxes(across, -1, -2))


def _read(truth: Any, roi: Any) -> Any:
    """Along one axis, of spans [n, k, 2]: the weight of each of 56 pixels in each of 28, [n, k, 28, 56]."""
    parts = (ops.arange(MASK_SIDE, dtype=roi.dtype) + 0.5) / MASK_SIDE
    (begin, end), (first, last) = ((one[..., :1], one[..., 1:]) for one in (truth, roi))
    places = first + (last - first) * parts - begin
    places = places / ops.maximum(end - begin, constant(SMALLEST_SIZE, end)) * masks.MASK_SIDE - 0.5
    pixels = ops.arange(masks.MASK_SIDE, dtype=roi.dtype)
    return ops.relu(1 - ops.abs(ops.expand_dims(places, -1) - pixels))
