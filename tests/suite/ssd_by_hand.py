"""SSD's loss and detections by the reference geometry, one image, one class and one box at a time."""

from __future__ import annotations

import numpy as np

from suite.detection.boxes import clipped, decode, encode, iou
from suite.detection.matching import BACKGROUND, crowded, match
from suite.detection.suppression import NONE, nms
from suite.ssd.spec import WEIGHTS, Ssd


def losses(spec: Ssd, offsets: np.ndarray, logits: np.ndarray, batch: dict) -> dict[str, list[float]]:
    """Of each image, by name: how many default boxes match, and what they lose."""
    each = zip(offsets, logits, batch["boxes"], batch["class"], batch["crowd"], strict=True)
    found = [_of_image(spec, *one) for one in each]
    return {name: [one[name] for one in found] for name in found[0]}


def loss(parts: dict[str, list[float]]) -> float:
    """Mean over the images, of which one without a match has none."""
    several = zip(parts["matched"], parts["placed"], parts["classified"], strict=True)
    return float(np.mean([(one + other) / many if many else 0.0 for many, one, other in several]))


def _of_image(spec: Ssd, offsets, logits, boxes, classes, crowd) -> dict[str, float]:
    defaults, half = spec.defaults, spec.match_overlap
    boxes, there = boxes.astype(float), classes > 0
    in_crowd = crowded(boxes, there & crowd, defaults, spec.crowd_share)
    truths = match(iou(boxes, defaults), there & ~crowd, half, half, force_best=True, ignored=in_crowd)
    placed, classified, easy = 0.0, 0.0, []
    for number, truth in enumerate(truths):
        surprises = np.logaddexp.reduce(logits[number]) - logits[number]
        if truth >= 0:
            wanted = encode(boxes[truth], defaults[number], WEIGHTS)
            placed += sum(_smooth_l1(one, spec.beta) for one in offsets[number] - wanted)
            classified += surprises[classes[truth]]
        elif truth == BACKGROUND:
            easy.append(surprises[0])
    matched = int((truths >= 0).sum())
    mined = sorted(easy, reverse=True)[: spec.mined * matched]
    return {"matched": matched, "placed": placed, "classified": classified + sum(mined)}


def _smooth_l1(apart: float, beta: float) -> float:
    return apart**2 / 2 / beta if abs(apart) < beta else abs(apart) - beta / 2


def detected(spec: Ssd, offsets: np.ndarray, logits: np.ndarray) -> dict[str, np.ndarray]:
    """Of one image, what is found, the most probable first: no padding."""
    likely = np.exp(logits - np.logaddexp.reduce(logits, axis=1, keepdims=True))
    boxes = clipped(decode(offsets, spec.defaults, WEIGHTS), spec.side, spec.side)
    found = []
    for label in range(1, spec.classes + 1):
        first = np.argsort(-likely[:, label], kind="stable")[: spec.candidates_of_a_class]
        some = first[likely[first, label] > spec.score_threshold]
        kept = nms(boxes[some], likely[some, label], spec.nms_threshold, len(some))
        found += [(likely[some[one], label], label, boxes[some[one]]) for one in kept if one != NONE]
    found = sorted(found, key=lambda one: -one[0])[: spec.detections]
    scores, labels, boxes = zip(*found, strict=True) if found else ((), (), np.zeros((0, 4)))
    return {"confidences": np.array(scores), "classes": np.array(labels), "boxes": np.array(boxes)}
