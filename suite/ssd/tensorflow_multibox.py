"""What SSD loses, and what it detects, in TensorFlow."""

from __future__ import annotations

from math import inf

import tensorflow as tf

from suite.detection.matching import BACKGROUND
from suite.detection.tensorflow_boxes import (
    best,
    clipped,
    crowded,
    decode,
    encode,
    iou,
    match,
    survivors,
    taken,
)
from suite.ssd.spec import WEIGHTS, Ssd

Tensors = dict[str, tf.Tensor]


def losses(offsets: tf.Tensor, logits: tf.Tensor, batch: Tensors, defaults: tf.Tensor, spec: Ssd) -> Tensors:
    """Of each image [n]: how many default boxes match, and the sums of what they lose."""
    deltas, classes, background = targets(batch, defaults, spec)
    matches = classes > 0
    apart = tf.reduce_sum(smooth_l1(offsets - deltas, spec.beta), 2)
    surprise = tf.nn.sparse_softmax_cross_entropy_with_logits(classes, logits)
    matched = tf.reduce_sum(tf.cast(matches, tf.int32), 1)
    mined = hardest(surprise, background, spec.mined * matched)
    return {
        "matched": matched,
        "placed": _sum_where(matches, apart),
        "classified": _sum_where(matches, surprise) + mined,
    }


def smooth_l1(apart: tf.Tensor, beta: float) -> tf.Tensor:
    """Girshick 2015, arXiv:1504.08083, equation 3, where it is linear from `beta` on."""
    size = tf.abs(apart)
    return tf.where(size < beta, 0.5 * apart * apart / beta, size - 0.5 * beta)


def targets(batch: Tensors, defaults: tf.Tensor, spec: Ssd) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """Of each default box of each image: deltas [n, boxes, 4], class [n, boxes], and whether it is background."""
    boxes, classes, crowd = batch["boxes"], batch["class"], batch["crowd"]
    valid = (classes > 0) & ~crowd
    in_crowd = crowded(boxes, (classes > 0) & crowd, defaults, spec.crowd_share)
    overlap = spec.match_overlap
    found = match(iou(boxes, defaults), valid, overlap, overlap, True, ignored=in_crowd)
    truth = tf.maximum(found, 0)
    deltas = encode(taken(boxes, truth), defaults, WEIGHTS)
    return deltas, tf.where(found >= 0, taken(classes, truth), 0), found == BACKGROUND


def hardest(surprise: tf.Tensor, background: tf.Tensor, most: tf.Tensor) -> tf.Tensor:
    """Sum [n] of the largest of the background [n, boxes], at most so many [n]; of equals the first."""
    candidates = tf.where(background, tf.stop_gradient(surprise), tf.constant(-inf, surprise.dtype))
    values, order = best(candidates, candidates.shape[1])
    chosen = (tf.range(order.shape[1]) < most[:, tf.newaxis]) & (values > -inf)
    return _sum_where(chosen, taken(surprise, order))


def detected(offsets: tf.Tensor, logits: tf.Tensor, defaults: tf.Tensor, spec: Ssd) -> Tensors:
    """Boxes [n, detections, 4] with confidences and classes, 0 where there is none; and `told`, means of the heads'."""
    likely, side, several = tf.nn.softmax(logits), spec.side, spec.classes * spec.candidates_of_a_class
    placed = clipped(decode(offsets, defaults, WEIGHTS), side, side)
    of_classes, nothing = tf.transpose(likely[:, :, 1:], [0, 2, 1]), tf.constant(-inf, likely.dtype)
    above = tf.where(of_classes > spec.score_threshold, of_classes, nothing)
    scores, places = best(above, spec.candidates_of_a_class)
    boxes = taken(placed, tf.reshape(places, [-1, several]))
    of_each = tf.reshape(boxes, [-1, spec.classes, spec.candidates_of_a_class, 4])
    kept = survivors(of_each, scores > -inf, spec.nms_threshold)
    left = tf.reshape(tf.where(kept, scores, nothing), [-1, several])
    confidences, chosen = best(left, spec.detections_of_an_image)
    there = confidences > -inf
    return {
        "boxes": tf.where(there[..., tf.newaxis], taken(boxes, chosen), tf.zeros([], boxes.dtype)),
        "confidences": tf.where(there, confidences, tf.zeros_like(confidences)),
        "classes": tf.where(there, 1 + chosen // spec.candidates_of_a_class, 0),
        "told": tf.reduce_mean(tf.concat([offsets, likely], 2), 1),
    }


def _sum_where(chosen: tf.Tensor, values: tf.Tensor) -> tf.Tensor:
    """[n, boxes] -> [n]."""
    return tf.reduce_sum(tf.where(chosen, values, tf.zeros_like(values)), 1)
