"""`suite.detection` in TensorFlow: the same rules, of any number of images and classes at once.

XLA on a CPU multiplies and adds in one rounding. Where boxes are compared it must not, or of two that are equally good
it would choose another than the others: it does not see a product behind `abs`.
"""

from __future__ import annotations

from math import inf

import tensorflow as tf

from suite.detection.boxes import LARGEST_GROWTH, SMALLEST_SIZE
from suite.detection.matching import BACKGROUND, IGNORED
from suite.detection.suppression import NONE

Weights = tuple[float, ...]


def areas(boxes: tf.Tensor) -> tf.Tensor:
    """[..., 4] -> [...]."""
    size = tf.nn.relu(boxes[..., 2:] - boxes[..., :2])
    return tf.abs(size[..., 0] * size[..., 1])


def intersections(one: tf.Tensor, other: tf.Tensor) -> tf.Tensor:
    """[..., n, 4] and [..., m, 4] -> [..., n, m]."""
    x1, y1, x2, y2 = tf.unstack(one[..., :, tf.newaxis, :], axis=-1)
    left, top, right, bottom = tf.unstack(other[..., tf.newaxis, :, :], axis=-1)
    width = tf.nn.relu(tf.minimum(x2, right) - tf.maximum(x1, left))
    height = tf.nn.relu(tf.minimum(y2, bottom) - tf.maximum(y1, top))
    return tf.abs(width * height)


def iou(one: tf.Tensor, other: tf.Tensor) -> tf.Tensor:
    """[..., n, 4] and [..., m, 4] -> [..., n, m]; 0 where the union is empty."""
    shared = intersections(one, other)
    return _share(shared, areas(one)[..., :, tf.newaxis] + areas(other)[..., tf.newaxis, :] - shared)


def covered(one: tf.Tensor, other: tf.Tensor) -> tf.Tensor:
    """Which share of each of `other` [..., m, 4] lies in each of `one` [..., n, 4] -> [..., n, m]."""
    shared = intersections(one, other)
    return _share(shared, tf.broadcast_to(areas(other)[..., tf.newaxis, :], tf.shape(shared)))


def clipped(boxes: tf.Tensor, height: float, width: float) -> tf.Tensor:
    """Cut at the edges of images of one size."""
    return tf.minimum(tf.nn.relu(boxes), tf.constant([width, height, width, height], boxes.dtype))


def encode(boxes: tf.Tensor, anchors: tf.Tensor, weights: Weights) -> tf.Tensor:
    """Boxes [..., 4], each seen from its anchor [..., 4] -> deltas [..., 4]."""
    centre, size = _centred(boxes)
    from_centre, from_size = _centred(anchors)
    deltas = tf.concat([(centre - from_centre) / from_size, tf.math.log(size / from_size)], -1)
    return deltas * tf.constant(weights, deltas.dtype)


def decode(deltas: tf.Tensor, anchors: tf.Tensor, weights: Weights) -> tf.Tensor:
    """`encode` undone."""
    from_centre, from_size = _centred(anchors)
    shift, growth = tf.split(deltas / tf.constant(weights, deltas.dtype), 2, -1)
    centre = from_centre + shift * from_size
    half = tf.exp(tf.minimum(growth, tf.constant(LARGEST_GROWTH, growth.dtype))) * from_size / 2
    return tf.concat([centre - half, centre + half], -1)


def match(
    iou: tf.Tensor,
    valid: tf.Tensor,
    low: float,
    high: float,
    force_best: bool,
    all_ties: bool = False,
    ignored: tf.Tensor | None = None,
) -> tf.Tensor:
    """Truth of each anchor, int [..., anchors], by `iou` [..., truths, anchors] and `valid` [..., truths]."""
    overlap = tf.where(valid[..., tf.newaxis], iou, tf.constant(-1, iou.dtype))
    most, truth = tf.reduce_max(overlap, -2), tf.argmax(overlap, -2, tf.int32)
    found = tf.where(most >= high, truth, tf.where(most >= low, IGNORED, BACKGROUND))
    if ignored is not None:
        found = tf.where((found == BACKGROUND) & ignored, IGNORED, found)
    if force_best:
        claims = _claims(overlap, all_ties)
        claimed = tf.argmax(tf.cast(claims, tf.int32), -2, tf.int32)
        found = tf.where(tf.reduce_any(claims, -2), claimed, found)
    return found


def crowded(boxes: tf.Tensor, crowd: tf.Tensor, anchors: tf.Tensor, share: float) -> tf.Tensor:
    """Anchors [..., m, 4] that lie in a crowd of boxes [..., n, 4] -> bool [..., m]."""
    return tf.reduce_any((covered(boxes, anchors) >= share) & crowd[..., tf.newaxis], -2)


def best(scores: tf.Tensor, most: int) -> tuple[tf.Tensor, tf.Tensor]:
    """The largest of [..., n], and their indices [..., most]; of equals the lowest first."""
    return tf.math.top_k(scores, min(most, scores.shape[-1]))


def survivors(
    boxes: tf.Tensor, there: tf.Tensor, threshold: float, classes: tf.Tensor | None = None
) -> tf.Tensor:
    """Which of boxes [..., n, 4], the best first, no better survivor suppresses: bool [..., n]; others are padding.

    With `classes` [..., n] a box suppresses those of its own alone.

    What each step gives the first boxes, it gives one more rightly: it ends where nothing changes, after few.
    """
    places = tf.range(boxes.shape[-2])
    suppresses = (iou(boxes, boxes) > threshold) & (places[:, tf.newaxis] < places)
    if classes is not None:
        suppresses &= classes[..., :, tf.newaxis] == classes[..., tf.newaxis, :]

    def step(kept: tf.Tensor) -> tf.Tensor:
        return there & ~tf.reduce_any(suppresses & kept[..., tf.newaxis], -2)

    def changed(before: tf.Tensor, kept: tf.Tensor) -> tf.Tensor:
        return tf.reduce_any(before != kept)

    return tf.while_loop(changed, lambda _, kept: (kept, step(kept)), (there, step(there)))[1]


def nms(boxes: tf.Tensor, scores: tf.Tensor, threshold: float, most: int) -> tf.Tensor:
    """Indices of the boxes [..., n, 4] that are kept, the best score [..., n] first: [..., most], padded with NONE."""
    values, order = best(scores, scores.shape[-1])
    kept = survivors(taken(boxes, order), values > -inf, threshold)
    first = best(tf.cast(kept, tf.int32), most)[1]
    found = tf.where(taken(kept, first), taken(order, first), NONE)
    behind = [[0, 0]] * (len(found.shape) - 1) + [[0, most - found.shape[-1]]]
    return tf.pad(found, behind, constant_values=NONE)


def taken(several: tf.Tensor, places: tf.Tensor) -> tf.Tensor:
    """Of [..., n] or boxes [..., n, 4] those at [..., m]."""
    return tf.gather(several, places, batch_dims=len(places.shape) - 1)


def _claims(overlap: tf.Tensor, all_ties: bool) -> tf.Tensor:
    """Whether a truth has an anchor as its best, bool [..., truths, anchors]."""
    best_overlap = tf.reduce_max(overlap, -1, keepdims=True)
    if all_ties:
        return (overlap == best_overlap) & (best_overlap > 0)
    chosen = tf.argmax(overlap, -1, tf.int32)[..., tf.newaxis]
    return (tf.range(overlap.shape[-1]) == chosen) & (best_overlap > 0)


def _share(part: tf.Tensor, whole: tf.Tensor) -> tf.Tensor:
    """0 of nothing."""
    return tf.math.divide_no_nan(part, whole)


def _centred(boxes: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Centres and sizes [..., 2]."""
    size = boxes[..., 2:] - boxes[..., :2]
    return boxes[..., :2] + size / 2, tf.maximum(size, tf.constant(SMALLEST_SIZE, size.dtype))
