"""Which boxes Mask R-CNN looks at, in TensorFlow: what it proposes, draws and detects."""

from __future__ import annotations

from math import inf

import tensorflow as tf

from suite.detection import masks
from suite.detection.answers import MASK_SIDE
from suite.detection.boxes import SMALLEST_SIZE
from suite.detection.tensorflow_boxes import areas, best, decode, survivors, taken
from suite.mask_rcnn.layers import (
    BOX_WEIGHTS,
    MOST_PRIORITY,
    RPN_WEIGHTS,
)
from suite.mask_rcnn.spec import MaskRcnn

Boxes = tuple[tf.Tensor, tf.Tensor]  # [n, k, 4], and which of them are there


def proposed(
    spec: MaskRcnn, logits: tf.Tensor, deltas: tf.Tensor, edges: tf.Tensor, training: bool
) -> tuple[Boxes, tf.Tensor]:
    """The best boxes by logits [n, anchors] and deltas [n, anchors, 4], and the anchor [n, proposals] of each."""
    several, never = [], tf.constant(-inf, logits.dtype)
    asked = spec.asked_of_levels(training)
    for (first, end), most in zip(spec.level_bounds, asked, strict=True):
        values, places = best(logits[:, first:end], most)
        more = [[0, 0], [0, max(asked) - most]]
        several.append((tf.pad(values, more, constant_values=never), tf.pad(places + first, more)))
    values, places = (tf.stack(one, 1) for one in zip(*several, strict=True))  # [n, levels, most]
    levels, places = places.shape[1:], tf.reshape(places, [-1, len(asked) * max(asked)])
    anchors = tf.gather(tf.constant(spec.all_anchors, deltas.dtype), places)
    boxes = clipped(decode(taken(deltas, places), anchors, RPN_WEIGHTS), edges)
    there = (values > never) & tf.reshape(areas(boxes) > 0, [-1, *levels])
    kept = survivors(tf.reshape(boxes, [-1, *levels, 4]), there, spec.rpn_overlap)
    values = tf.reshape(tf.where(kept, values, never), [-1, len(asked) * max(asked)])
    values, first = best(values, spec.proposals)
    return (taken(boxes, first), values > never), taken(places, first)


def clipped(boxes: tf.Tensor, edges: tf.Tensor) -> tf.Tensor:
    """Boxes [n, k, 4] cut at each image's edges [n, 4]."""
    return tf.minimum(tf.nn.relu(boxes), edges[:, tf.newaxis])


def drawn(
    priority: tf.Tensor, positive: tf.Tensor, negative: tf.Tensor, count: int, share: int
) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """`count` of [n, k], positive ones first, one of `share` at most: places, which are positive, which are there."""
    last = best(tf.where(positive, priority, -1), count // share)[0][:, -1:]
    chosen = positive & (priority >= last)
    keys = tf.where(chosen, priority + MOST_PRIORITY, tf.where(negative, priority, -1))
    values, places = best(keys, count)
    return places, values >= MOST_PRIORITY, values >= 0


def detected(
    spec: MaskRcnn, scores: tf.Tensor, deltas: tf.Tensor, rois: Boxes, edges: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """Boxes, confidences and classes, 0 of none, by scores [n, k, classes] and deltas [n, k * classes, 4]."""
    boxes, there = rois
    none = tf.constant(-1, scores.dtype)
    scores = tf.where(there[..., tf.newaxis], scores, none)
    values, places = best(tf.reshape(scores, [-1, scores.shape[1] * spec.classes]), spec.box_candidates)
    classes = places % spec.classes
    decoded = decode(taken(deltas, places), taken(boxes, places // spec.classes), BOX_WEIGHTS)
    boxes = clipped(decoded, edges)
    kept = survivors(boxes, (values >= spec.least_score) & (areas(boxes) > 0), spec.box_overlap, classes)
    values, first = best(tf.where(kept, values, none), spec.detections)
    there = values >= 0
    boxes = tf.where(there[..., tf.newaxis], taken(boxes, first), tf.zeros((), boxes.dtype))
    return boxes, tf.nn.relu(values), tf.where(there, taken(classes, first) + 1, 0)


def mask_targets(true: tf.Tensor, truths: tf.Tensor, rois: tf.Tensor) -> tf.Tensor:
    """True masks [n, k, 56, 56], each in its box of `truths` [n, k, 4], as far as they lie in rois: [n, k, 28, 28]."""
    down, across = (_read(truths[..., axis::2], rois[..., axis::2]) for axis in (1, 0))
    return down @ true @ tf.linalg.matrix_transpose(across)


def _read(truth: tf.Tensor, roi: tf.Tensor) -> tf.Tensor:
    """Along one axis, of spans [n, k, 2]: the weight of each of 56 pixels in each of 28, [n, k, 28, 56]."""
    parts = (tf.range(MASK_SIDE, dtype=roi.dtype) + 0.5) / MASK_SIDE
    (begin, end), (first, last) = (tf.unstack(one[..., tf.newaxis, :], axis=-1) for one in (truth, roi))
    places = first + (last - first) * parts - begin
    places = places / tf.maximum(end - begin, tf.constant(SMALLEST_SIZE, end.dtype)) * masks.MASK_SIDE - 0.5
    pixels = tf.range(masks.MASK_SIDE, dtype=roi.dtype)
    return tf.nn.relu(1 - tf.abs(places[..., tf.newaxis] - pixels))
