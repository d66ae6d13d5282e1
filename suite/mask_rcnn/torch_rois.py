"""Which boxes Mask R-CNN looks at, in PyTorch: what it proposes, draws and detects."""

from __future__ import annotations

import torch
from torch.nn import functional

from suite.detection import masks
from suite.detection.answers import MASK_SIDE
from suite.detection.boxes import SMALLEST_SIZE
from suite.detection.torch_boxes import areas, best, decode, survivors, taken
from suite.mask_rcnn.layers import (
    BOX_WEIGHTS,
    MOST_PRIORITY,
    RPN_WEIGHTS,
)
from suite.mask_rcnn.spec import MaskRcnn

Boxes = tuple[torch.Tensor, torch.Tensor]  # [n, k, 4], and which of them are there


def proposed(
    spec: MaskRcnn,
    anchors: torch.Tensor,
    logits: torch.Tensor,
    deltas: torch.Tensor,
    edges: torch.Tensor,
    training: bool,
) -> tuple[Boxes, torch.Tensor]:
    """The best boxes by logits [n, anchors] and deltas [n, anchors, 4], and the anchor [n, proposals] of each."""
    several = []
    asked = spec.asked_of_levels(training)
    for (first, end), most in zip(spec.level_bounds, asked, strict=True):
        values, places = best(logits[:, first:end], most)
        more = 0, max(asked) - most
        several.append((functional.pad(values, more, value=-torch.inf), functional.pad(places + first, more)))
    values, places = (torch.stack(one, 1) for one in zip(*several, strict=True))  # [n, levels, most]
    found = taken(deltas, places.flatten(1)), anchors[places.flatten(1)]
    boxes = clipped(decode(*found, RPN_WEIGHTS), edges).view(*places.shape, 4)
    there = (values > -torch.inf) & (areas(boxes) > 0)
    kept = survivors(boxes, there, spec.rpn_overlap)
    values, first = best(values.masked_fill(~kept, -torch.inf).flatten(1), spec.proposals)
    return (taken(boxes.flatten(1, 2), first), values > -torch.inf), places.flatten(1).gather(1, first)


def clipped(boxes: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
    """Boxes [n, k, 4] cut at each image's edges [n, 4]."""
    return boxes.clamp(min=0).minimum(edges[:, None])


def drawn(
    priority: torch.Tensor, positive: torch.Tensor, negative: torch.Tensor, count: int, share: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """`count` of [n, k], positive ones first, one of `share` at most: places, which are positive, which are there."""
    last = best(priority.masked_fill(~positive, -1), count // share)[0][:, -1:]
    chosen = positive & (priority >= last)
    keys = priority.masked_fill(~negative, -1)
    values, places = best(torch.where(chosen, priority + MOST_PRIORITY, keys), count)
    return places, values >= MOST_PRIORITY, values >= 0


def detected(
    spec: MaskRcnn, scores: torch.Tensor, deltas: torch.Tensor, rois: Boxes, edges: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Boxes, confidences and classes, 0 of none, by scores [n, k, classes] and deltas [n, k * classes, 4]."""
    boxes, there = rois
    values, places = best(scores.masked_fill(~there[..., None], -1).flatten(1), spec.box_candidates)
    classes = places % spec.classes
    decoded = decode(taken(deltas, places), taken(boxes, places // spec.classes), BOX_WEIGHTS)
    boxes = clipped(decoded, edges)
    kept = survivors(boxes, (values >= spec.least_score) & (areas(boxes) > 0), spec.box_overlap, classes)
    values, first = best(values.masked_fill(~kept, -1), spec.detections)
    there = values >= 0
    boxes = taken(boxes, first).masked_fill(~there[..., None], 0)
    return boxes, values.clamp(min=0), (classes.gather(1, first) + 1).masked_fill(~there, 0)


def mask_targets(true: torch.Tensor, truths: torch.Tensor, rois: torch.Tensor) -> torch.Tensor:
    """True masks [n, k, 56, 56], each in its box of `truths` [n, k, 4], as far as they lie in rois: [n, k, 28, 28]."""
    down, across = (_read(truths[..., axis::2], rois[..., axis::2]) for axis in (1, 0))
    return down @ true @ across.mT


def _read(truth: torch.Tensor, roi: torch.Tensor) -> torch.Tensor:
    """Along one axis, of spans [n, k, 2]: the weight of each of 56 pixels in each of 28, [n, k, 28, 56]."""
    parts = (torch.arange(MASK_SIDE, device=roi.device, dtype=roi.dtype) + 0.5) / MASK_SIDE
    (begin, end), (first, last) = truth.unbind(-1), roi.unbind(-1)
    at = first[..., None] + (last - first)[..., None] * parts - begin[..., None]
    at = at / (end - begin).clamp(min=SMALLEST_SIZE)[..., None] * masks.MASK_SIDE - 0.5
    pixels = torch.arange(masks.MASK_SIDE, device=roi.device, dtype=roi.dtype)
    return (1 - (at[..., None] - pixels).abs()).clamp(min=0)
