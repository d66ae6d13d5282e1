"""What SSD loses, and what it detects, in Keras."""

from __future__ import annotations

from math import inf
from typing import Any

from keras import ops

from suite.detection.keras_boxes import best, clipped, crowded, decode, encode, iou, match, survivors, taken
from suite.detection.matching import BACKGROUND
from suite.ssd.spec import WEIGHTS, Ssd

Tensors = dict[str, Any]


def losses(offsets: Any, logits: Any, batch: Tensors, defaults: Any, spec: Ssd) -> Tensors:
    """Of each image [n]: how many default boxes match, and the sums of what they lose."""
    deltas, classes, background = targets(batch, defaults, spec)
    matches = classes > 0
    apart = ops.sum(smooth_l1(offsets - deltas, spec.beta), 2)
    likely = ops.log_softmax(logits)
    surprise = -ops.squeeze(ops.take_along_axis(likely, ops.expand_dims(classes, -1), 2), -1)
    matched = ops.sum(ops.cast(matches, "int32"), 1)
    mined = hardest(surprise, background, spec.mined * matched)
    return {
        "matched": matched,
        "placed": _sum_where(matches, apart),
        "classified": _sum_where(matches, surprise) + mined,
    }


def smooth_l1(apart: Any, beta: float) -> Any:
    """Girshick 2015, arXiv:1504.08083, equation 3, where it is linear from `beta` on."""
    size = ops.abs(apart)
    return ops.where(size < beta, 0.5 * apart * apart / beta, size - 0.5 * beta)


def targets(batch: Tensors, defaults: Any, spec: Ssd) -> tuple[Any, Any, Any]:
    """Of each default box of each image: deltas [n, boxes, 4], class [n, boxes], and whether it is background."""
    boxes, classes, crowd = batch["boxes"], batch["class"], batch["crowd"]
    there = classes > 0
    valid = ops.logical_and(there, ops.logical_not(crowd))
    in_crowd = crowded(boxes, ops.logical_and(there, crowd), defaults, spec.crowd_share)
    overlap = spec.match_overlap
    found = match(iou(boxes, defaults), valid, overlap, overlap, True, ignored=in_crowd)
    truth = ops.maximum(found, 0)
    deltas = encode(taken(boxes, truth), defaults, WEIGHTS)
    of_truth = ops.take_along_axis(classes, truth, 1)
    return deltas, ops.where(found >= 0, of_truth, ops.zeros_like(of_truth)), found == BACKGROUND


def hardest(surprise: Any, background: Any, most: Any) -> Any:
    """Sum [n] of the largest of the background [n, boxes], at most so many [n]; of equals the first."""
    candidates = _or_nothing(background, ops.stop_gradient(surprise))
    values, order = best(candidates, candidates.shape[1])
    chosen = ops.arange(order.shape[1], dtype="int32") < ops.expand_dims(most, -1)
    chosen = ops.logical_and(chosen, values > -inf)
    return _sum_where(chosen, ops.take_along_axis(surprise, order, 1))


def detected(offsets: Any, logits: Any, defaults: Any, spec: Ssd) -> Tensors:
    """Boxes [n, detections, 4] with confidences and classes, 0 where there is none; and `told`, means of the heads'."""
    likely, side, several = ops.softmax(logits), spec.side, spec.classes * spec.candidates_of_a_class
    placed = clipped(decode(offsets, defaults, WEIGHTS), side, side)
    of_classes = ops.transpose(likely[:, :, 1:], (0, 2, 1))
    above = _or_nothing(of_classes > spec.score_threshold, of_classes)
    scores, places = best(above, spec.candidates_of_a_class)
    boxes = taken(placed, ops.reshape(places, (-1, several)))
    of_each = ops.reshape(boxes, (-1, spec.classes, spec.candidates_of_a_class, 4))
    kept = survivors(of_each, scores > -inf, spec.nms_threshold)
    left = ops.reshape(_or_nothing(kept, scores), (-1, several))
    confidences, chosen = best(left, spec.detections_of_an_image)
    there = confidences > -inf
    classes = 1 + chosen // spec.candidates_of_a_class
    return {
        "boxes": _or_zero(ops.expand_dims(there, -1), taken(boxes, chosen)),
        "confidences": _or_zero(there, confidences),
        "classes": ops.cast(_or_zero(there, classes), "int32"),
        "told": ops.mean(ops.concatenate([offsets, likely], 2), 1),
    }


def _or_zero(chosen: Any, values: Any) -> Any:
    return ops.where(chosen, values, ops.zeros_like(values))


def _or_nothing(chosen: Any, scores: Any) -> Any:
    return ops.where(chosen, scores, ops.full_like(scores, -inf))


def _sum_where(chosen: Any, values: Any) -> Any:
    """[n, boxes] -> [n]."""
    return ops.sum(_or_zero(chosen, values), 1)
