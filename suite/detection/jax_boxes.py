"""`suite.detection` in JAX: the same rules, of any number of images and classes at once.

XLA on a CPU multiplies and adds in one rounding. Where boxes are compared it must not, or of two that are equally good
it would choose another than the others: it does not see a product behind `abs`.
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array, lax

from suite.detection.boxes import LARGEST_GROWTH, SMALLEST_SIZE
from suite.detection.matching import BACKGROUND, IGNORED
from suite.detection.suppression import NONE

Weights = tuple[float, ...]


def areas(boxes: Array) -> Array:
    """[..., 4] -> [...]."""
    size = jnp.maximum(boxes[..., 2:] - boxes[..., :2], 0)
    return jnp.abs(size[..., 0] * size[..., 1])


def intersections(one: Array, other: Array) -> Array:
    """[..., n, 4] and [..., m, 4] -> [..., n, m]."""
    one, other = one[..., :, None, :], other[..., None, :, :]
    shared = jnp.minimum(one[..., 2:], other[..., 2:]) - jnp.maximum(one[..., :2], other[..., :2])
    shared = jnp.maximum(shared, 0)
    return jnp.abs(shared[..., 0] * shared[..., 1])


def iou(one: Array, other: Array) -> Array:
    """[..., n, 4] and [..., m, 4] -> [..., n, m]; 0 where the union is empty."""
    shared = intersections(one, other)
    return _share(shared, areas(one)[..., :, None] + areas(other)[..., None, :] - shared)


def covered(one: Array, other: Array) -> Array:
    """Which share of each of `other` [..., m, 4] lies in each of `one` [..., n, 4] -> [..., n, m]."""
    return _share(intersections(one, other), areas(other)[..., None, :])


def clipped(boxes: Array, height: float, width: float) -> Array:
    """Cut at the edges of images of one size."""
    return jnp.clip(boxes, 0, jnp.asarray([width, height, width, height], boxes.dtype))


def encode(boxes: Array, anchors: Array, weights: Weights) -> Array:
    """Boxes [..., 4], each seen from its anchor [..., 4] -> deltas [..., 4]."""
    centre, size = _centred(boxes)
    from_centre, from_size = _centred(anchors)
    deltas = jnp.concatenate([(centre - from_centre) / from_size, jnp.log(size / from_size)], -1)
    return deltas * jnp.asarray(weights, deltas.dtype)


def decode(deltas: Array, anchors: Array, weights: Weights) -> Array:
    """`encode` undone."""
    from_centre, from_size = _centred(anchors)
    shift, growth = jnp.split(deltas / jnp.asarray(weights, deltas.dtype), 2, -1)
    centre = from_centre + shift * from_size
    half = jnp.exp(jnp.minimum(growth, LARGEST_GROWTH)) * from_size / 2
    return jnp.concatenate([centre - half, centre + half], -1)


def match(
    iou: Array,
    valid: Array,
    low: float,
    high: float,
    force_best: bool,
    all_ties: bool = False,
    ignored: Array | None = None,
) -> Array:
    """Truth of each anchor, int [..., anchors], by `iou` [..., truths, anchors] and `valid` [..., truths]."""
    overlap = jnp.where(valid[..., None], iou, -1)
    most, truth = overlap.max(-2), overlap.argmax(-2)
    found = jnp.where(most >= high, truth, jnp.where(most >= low, IGNORED, BACKGROUND))
    if ignored is not None:
        found = jnp.where((found == BACKGROUND) & ignored, IGNORED, found)
    if force_best:
        claims = _claims(overlap, all_ties)
        found = jnp.where(claims.any(-2), claims.argmax(-2), found)
    return found


def crowded(boxes: Array, crowd: Array, anchors: Array, share: float) -> Array:
    """Anchors [..., m, 4] that lie in a crowd of boxes [..., n, 4] -> bool [..., m]."""
    return ((covered(boxes, anchors) >= share) & crowd[..., None]).any(-2)


def best(scores: Array, most: int) -> tuple[Array, Array]:
    """The largest of [..., n], and their indices [..., most]; of equals the lowest first."""
    values, places = lax.top_k(scores, min(most, scores.shape[-1]))
    return values, places


def survivors(boxes: Array, there: Array, threshold: float, classes: Array | None = None) -> Array:
    """Which of boxes [..., n, 4], the best first, no better survivor suppresses: bool [..., n]; others are padding.

    With `classes` [..., n] a box suppresses those of its own alone.

    What each step gives the first boxes, it gives one more rightly: it ends where nothing changes, after few.
    """
    later = jnp.triu(jnp.ones((boxes.shape[-2],) * 2, bool), 1)
    suppresses = (iou(boxes, boxes) > threshold) & later
    if classes is not None:
        suppresses &= classes[..., :, None] == classes[..., None, :]

    def step(kept: Array) -> Array:
        return there & ~(suppresses & kept[..., None]).any(-2)

    def again(two: tuple[Array, Array]) -> tuple[Array, Array]:
        return two[1], step(two[1])

    return lax.while_loop(lambda two: (two[0] != two[1]).any(), again, (there, step(there)))[1]


def nms(boxes: Array, scores: Array, threshold: float, most: int) -> Array:
    """Indices of the boxes [..., n, 4] that are kept, the best score [..., n] first: [..., most], padded with NONE."""
    values, order = best(scores, scores.shape[-1])
    kept = survivors(taken(boxes, order), values > -jnp.inf, threshold)
    first = best(kept.astype(jnp.int32), most)[1]
    found = jnp.where(_at(kept, first), _at(order, first), NONE)
    behind = [(0, 0)] * (found.ndim - 1) + [(0, most - found.shape[-1])]
    return jnp.pad(found, behind, constant_values=NONE)


def taken(boxes: Array, places: Array) -> Array:
    """Of [..., n, 4] those at [..., m] -> [..., m, 4]."""
    return jnp.take_along_axis(boxes, places[..., None], -2)


def _at(values: Array, places: Array) -> Array:
    return jnp.take_along_axis(values, places, -1)


def _claims(overlap: Array, all_ties: bool) -> Array:
    """Whether a truth has an anchor as its best, bool [..., truths, anchors]."""
    best_overlap = overlap.max(-1, keepdims=True)
    if all_ties:
        return (overlap == best_overlap) & (best_overlap > 0)
    anchors = jnp.arange(overlap.shape[-1])
    return (anchors == overlap.argmax(-1, keepdims=True)) & (best_overlap > 0)


def _share(part: Array, whole: Array) -> Array:
    """0 of nothing."""
    return jnp.where(whole > 0, part / jnp.where(whole > 0, whole, 1), 0)


def _centred(boxes: Array) -> tuple[Array, Array]:
    """Centres and sizes [..., 2]."""
    size = boxes[..., 2:] - boxes[..., :2]
    return boxes[..., :2] + size / 2, jnp.maximum(size, SMALLEST_SIZE)
