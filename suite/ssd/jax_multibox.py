"""What SSD loses, and what it detects, in JAX."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array, lax

from suite.detection.jax_boxes import best, clipped, crowded, decode, encode, iou, match, survivors, taken
from suite.detection.matching import BACKGROUND
from suite.ssd.spec import WEIGHTS, Ssd

Arrays = dict[str, Array]


def losses(offsets: Array, logits: Array, batch: Arrays, defaults: Array, spec: Ssd) -> Arrays:
    """Of each image [n]: how many default boxes match, and the sums of what they lose."""
    deltas, classes, background = targets(batch, defaults, spec)
    matches = classes > 0
    surprise = -jnp.take_along_axis(jax.nn.log_softmax(logits), classes[..., None], 2)[..., 0]
    matched = matches.sum(1)
    mined = hardest(surprise, background, spec.mined * matched)
    return {
        "matched": matched,
        "placed": jnp.where(matches, smooth_l1(offsets - deltas, spec.beta).sum(2), 0).sum(1),
        "classified": jnp.where(matches, surprise, 0).sum(1) + mined,
    }


def smooth_l1(apart: Array, beta: float) -> Array:
    """Girshick 2015, arXiv:1504.08083, equation 3, where it is linear from `beta` on."""
    size = jnp.abs(apart)
    return jnp.where(size < beta, 0.5 * apart * apart / beta, size - 0.5 * beta)


def targets(batch: Arrays, defaults: Array, spec: Ssd) -> tuple[Array, Array, Array]:
    """Of each default box of each image: deltas [n, boxes, 4], class [n, boxes], and whether it is background."""
    boxes, classes, crowd = batch["boxes"], batch["class"], batch["crowd"]
    valid = (classes > 0) & ~crowd
    in_crowd = crowded(boxes, (classes > 0) & crowd, defaults, spec.crowd_share)
    overlap = spec.match_overlap
    found = match(iou(boxes, defaults), valid, overlap, overlap, True, ignored=in_crowd)
    truth = jnp.maximum(found, 0)
    deltas = encode(taken(boxes, truth), defaults, WEIGHTS)
    of_truth = jnp.take_along_axis(classes, truth, 1)
    return deltas, jnp.where(found >= 0, of_truth, 0), found == BACKGROUND


def hardest(surprise: Array, background: Array, most: Array) -> Array:
    """Sum [n] of the largest of the background [n, boxes], at most so many [n]; of equals the first."""
    candidates = jnp.where(background, lax.stop_gradient(surprise), -jnp.inf)
    values, order = best(candidates, candidates.shape[1])
    chosen = (jnp.arange(order.shape[1]) < most[:, None]) & (values > -jnp.inf)
    return jnp.where(chosen, jnp.take_along_axis(surprise, order, 1), 0).sum(1)


def detected(offsets: Array, logits: Array, defaults: Array, spec: Ssd) -> Arrays:
    """Boxes [n, detections, 4] with confidences and classes, 0 where there is none; and `told`, means of the heads'."""
    likely, side, images = jax.nn.softmax(logits), spec.side, len(logits)
    placed = clipped(decode(offsets, defaults, WEIGHTS), side, side)
    of_classes = likely[:, :, 1:].swapaxes(1, 2)
    above = jnp.where(of_classes > spec.score_threshold, of_classes, -jnp.inf)
    scores, places = best(above, spec.candidates_of_a_class)
    boxes = taken(placed, places.reshape(images, -1)).reshape(*places.shape, 4)
    kept = survivors(boxes, scores > -jnp.inf, spec.nms_threshold)
    left = jnp.where(kept, scores, -jnp.inf).reshape(images, -1)
    confidences, chosen = best(left, spec.detections_of_an_image)
    there = confidences > -jnp.inf
    return {
        "boxes": jnp.where(there[..., None], taken(boxes.reshape(images, -1, 4), chosen), 0),
        "confidences": jnp.where(there, confidences, 0),
        "classes": jnp.where(there, 1 + chosen // places.shape[2], 0),
        "told": jnp.concatenate([offsets, likely], 2).mean(1),
    }
