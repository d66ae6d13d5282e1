"""Which boxes Mask R-CNN looks at, in JAX: what it proposes, draws and detects."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

from suite.detection import masks
from suite.detection.answers import MASK_SIDE
from suite.detection.boxes import SMALLEST_SIZE
from suite.detection.jax_boxes import areas, best, decode, survivors, taken
from suite.mask_rcnn.layers import (
    BOX_WEIGHTS,
    MOST_PRIORITY,
    RPN_WEIGHTS,
)
from suite.mask_rcnn.spec import MaskRcnn

Boxes = tuple[Array, Array]  # [n, k, 4], and which of them are there


def proposed(
    spec: MaskRcnn, logits: Array, deltas: Array, edges: Array, training: bool
) -> tuple[Boxes, Array]:
    """The best boxes by logits [n, anchors] and deltas [n, anchors, 4], and the anchor [n, proposals] of each."""
    several = []
    asked = spec.asked_of_levels(training)
    for (first, end), most in zip(spec.level_bounds, asked, strict=True):
        values, places = best(logits[:, first:end], most)
        more = ((0, 0), (0, max(asked) - most))
        several.append((jnp.pad(values, more, constant_values=-jnp.inf), jnp.pad(places + first, more)))
    values, places = (jnp.stack(one, 1) for one in zip(*several, strict=True))  # [n, levels, most]
    shape, places = places.shape, places.reshape(len(logits), -1)
    anchors = jnp.asarray(spec.all_anchors, deltas.dtype)[places]
    boxes = clipped(decode(taken(deltas, places), anchors, RPN_WEIGHTS), edges)
    there = (values > -jnp.inf) & (areas(boxes) > 0).reshape(shape)
    kept = survivors(boxes.reshape(*shape, 4), there, spec.rpn_overlap)
    values, first = best(jnp.where(kept, values, -jnp.inf).reshape(places.shape), spec.proposals)
    return (taken(boxes, first), values > -jnp.inf), at(places, first)


def at(values: Array, places: Array) -> Array:
    """Of [n, k] those at [n, m]."""
    return jnp.take_along_axis(values, places, -1)


def clipped(boxes: Array, edges: Array) -> Array:
    """Boxes [n, k, 4] cut at each image's edges [n, 4]."""
    return jnp.clip(boxes, 0, edges[:, None])


def drawn(
    priority: Array, positive: Array, negative: Array, count: int, share: int
) -> tuple[Array, Array, Array]:
    """`count` of [n, k], positive ones first, one of `share` at most: places, which are positive, which are there."""
    last = best(jnp.where(positive, priority, -1), count // share)[0][:, -1:]
    chosen = positive & (priority >= last)
    keys = jnp.where(chosen, priority + MOST_PRIORITY, jnp.where(negative, priority, -1))
    values, places = best(keys, count)
    return places, values >= MOST_PRIORITY, values >= 0


def detected(
    spec: MaskRcnn, scores: Array, deltas: Array, rois: Boxes, edges: Array
) -> tuple[Array, Array, Array]:
    """Boxes, confidences and classes, 0 of none, by scores [n, k, classes] and deltas [n, k * classes, 4]."""
    boxes, there = rois
    scores = jnp.where(there[..., None], scores, -1).reshape(len(scores), -1)
    values, places = best(scores, spec.box_candidates)
    classes = places % spec.classes
    decoded = decode(taken(deltas, places), taken(boxes, places // spec.classes), BOX_WEIGHTS)
    boxes = clipped(decoded, edges)
    kept = survivors(boxes, (values >= spec.least_score) & (areas(boxes) > 0), spec.box_overlap, classes)
    values, first = best(jnp.where(kept, values, -1), spec.detections)
    there = values >= 0
    boxes = jnp.where(there[..., None], taken(boxes, first), 0)
    return boxes, jnp.maximum(values, 0), jnp.where(there, at(classes, first) + 1, 0)


def mask_targets(true: Array, truths: Array, rois: Array) -> Array:
    """True masks [n, k, 56, 56], each in its box of `truths` [n, k, 4], as far as they lie in rois: [n, k, 28, 28]."""
    down, across = (_read(truths[..., axis::2], rois[..., axis::2]) for axis in (1, 0))
    return down @ true @ across.mT


def _read(truth: Array, roi: Array) -> Array:
    """Along one axis, of spans [n, k, 2]: the weight of each of 56 pixels in each of 28, [n, k, 28, 56]."""
    parts = (jnp.arange(MASK_SIDE, dtype=roi.dtype) + 0.5) / MASK_SIDE
    (begin, end), (first, last) = jnp.moveaxis(truth, -1, 0), jnp.moveaxis(roi, -1, 0)
    places = first[..., None] + (last - first)[..., None] * parts - begin[..., None]
    places = places / jnp.maximum(end - begin, SMALLEST_SIZE)[..., None] * masks.MASK_SIDE - 0.5
    pixels = jnp.arange(masks.MASK_SIDE, dtype=roi.dtype)
    return jnp.maximum(1 - jnp.abs(places[..., None] - pixels), 0)
