"""What SSD loses, and what it detects, in PyTorch."""

from __future__ import annotations

import torch
from torch.nn import functional

from suite.detection.matching import BACKGROUND
from suite.detection.torch_boxes import best, clipped, crowded, decode, encode, iou, match, survivors, taken
from suite.ssd.spec import WEIGHTS, Ssd

Tensors = dict[str, torch.Tensor]


def losses(
    offsets: torch.Tensor, logits: torch.Tensor, batch: Tensors, defaults: torch.Tensor, spec: Ssd
) -> Tensors:
    """Of each image [n]: how many default boxes match, and the sums of what they lose."""
    deltas, classes, background = targets(batch, defaults, spec)
    matches = classes > 0
    apart = functional.smooth_l1_loss(offsets, deltas, reduction="none", beta=spec.beta).sum(2)
    surprise = functional.cross_entropy(logits.transpose(1, 2), classes, reduction="none")
    matched = matches.sum(1)
    mined = hardest(surprise, background, spec.mined * matched)
    return {
        "matched": matched,
        "placed": torch.where(matches, apart, 0.0).sum(1),
        "classified": torch.where(matches, surprise, 0.0).sum(1) + mined,
    }


@torch.no_grad()
def targets(
    batch: Tensors, defaults: torch.Tensor, spec: Ssd
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Of each default box of each image: deltas [n, boxes, 4], class [n, boxes], and whether it is background."""
    boxes, classes, crowd = batch["boxes"], batch["class"], batch["crowd"]
    valid = (classes > 0) & ~crowd
    in_crowd = crowded(boxes, (classes > 0) & crowd, defaults, spec.crowd_share)
    overlap = spec.match_overlap
    found = match(iou(boxes, defaults), valid, overlap, overlap, True, ignored=in_crowd)
    truth = found.clamp(min=0)
    deltas = encode(taken(boxes, truth), defaults, WEIGHTS)
    return deltas, torch.where(found >= 0, classes.gather(1, truth), 0), found == BACKGROUND


def hardest(surprise: torch.Tensor, background: torch.Tensor, most: torch.Tensor) -> torch.Tensor:
    """Sum [n] of the largest of the background [n, boxes], at most so many [n]; of equals the first."""
    values, order = best(torch.where(background, surprise.detach(), -torch.inf), surprise.shape[1])
    chosen = (torch.arange(len(order[0]), device=order.device) < most[:, None]) & (values > -torch.inf)
    return torch.where(chosen, surprise.gather(1, order), 0.0).sum(1)


def detected(offsets: torch.Tensor, logits: torch.Tensor, defaults: torch.Tensor, spec: Ssd) -> Tensors:
    """Boxes [n, detections, 4] with confidences and classes, 0 where there is none; and `told`, means of the heads'."""
    likely, side = logits.softmax(2), spec.side
    placed = clipped(decode(offsets, defaults, WEIGHTS), side, side)
    of_classes = likely[:, :, 1:].transpose(1, 2)
    above = torch.where(of_classes > spec.score_threshold, of_classes, -torch.inf)
    scores, places = best(above, spec.candidates_of_a_class)
    boxes = taken(placed, places.flatten(1)).unflatten(1, places.shape[1:])
    kept = survivors(boxes, scores > -torch.inf, spec.nms_threshold)
    left = torch.where(kept, scores, -torch.inf).flatten(1)
    confidences, chosen = best(left, spec.detections_of_an_image)
    there = confidences > -torch.inf
    return {
        "boxes": torch.where(there[..., None], taken(boxes.flatten(1, 2), chosen), 0.0),
        "confidences": torch.where(there, confidences, 0.0),
        "classes": torch.where(there, 1 + chosen // places.shape[2], 0).int(),
        "told": torch.cat([offsets, likely], 2).mean(1),
    }
