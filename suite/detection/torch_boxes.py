"""`suite.detection` in PyTorch: the same rules, of any number of images and classes at once.

`max` names the first of equals as `argmax` does, which takes ten times as long along an axis that is not the last.
"""

from __future__ import annotations

import torch

from suite.detection.boxes import LARGEST_GROWTH, SMALLEST_SIZE
from suite.detection.matching import BACKGROUND, IGNORED
from suite.detection.suppression import NONE

Weights = tuple[float, ...]


def areas(boxes: torch.Tensor) -> torch.Tensor:
    """[..., 4] -> [...]."""
    width, height = (boxes[..., 2:] - boxes[..., :2]).clamp(min=0).unbind(-1)
    return width * height


def intersections(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """[..., n, 4] and [..., m, 4] -> [..., n, m]."""
    x1, y1, x2, y2 = one[..., :, None, :].unbind(-1)
    left, top, right, bottom = other[..., None, :, :].unbind(-1)
    width = (torch.minimum(x2, right) - torch.maximum(x1, left)).clamp_(min=0)
    height = (torch.minimum(y2, bottom) - torch.maximum(y1, top)).clamp_(min=0)
    return width.mul_(height)


def iou(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """[..., n, 4] and [..., m, 4] -> [..., n, m]; 0 where the union is empty."""
    shared = intersections(one, other)
    union = areas(one)[..., :, None] + areas(other)[..., None, :] - shared
    return _share(shared, union)


def covered(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Which share of each of `other` [..., m, 4] lies in each of `one` [..., n, 4] -> [..., n, m]."""
    return _share(intersections(one, other), areas(other)[..., None, :])


def clipped(boxes: torch.Tensor, height: float, width: float) -> torch.Tensor:
    """Cut at the edges of images of one size."""
    edges = boxes.new_tensor([width, height, width, height])
    return torch.minimum(boxes.clamp(min=0), edges)


def encode(boxes: torch.Tensor, anchors: torch.Tensor, weights: Weights) -> torch.Tensor:
    """Boxes [..., 4], each seen from its anchor [..., 4] -> deltas [..., 4]."""
    centre, size = _centred(boxes)
    from_centre, from_size = _centred(anchors)
    deltas = torch.cat([(centre - from_centre) / from_size, torch.log(size / from_size)], -1)
    return deltas * deltas.new_tensor(weights)


def decode(deltas: torch.Tensor, anchors: torch.Tensor, weights: Weights) -> torch.Tensor:
    """`encode` undone."""
    from_centre, from_size = _centred(anchors)
    shift, growth = (deltas / deltas.new_tensor(weights)).split(2, -1)
    centre = from_centre + shift * from_size
    half = growth.clamp(max=LARGEST_GROWTH).exp() * from_size / 2
    return torch.cat([centre - half, centre + half], -1)


def match(
    iou: torch.Tensor,
    valid: torch.Tensor,
    low: float,
    high: float,
    force_best: bool,
    all_ties: bool = False,
    ignored: torch.Tensor | None = None,
) -> torch.Tensor:
    """Truth of each anchor, int [..., anchors], by `iou` [..., truths, anchors] and `valid` [..., truths]."""
    overlap = torch.where(valid[..., None], iou, -1.0)
    most, truth = overlap.max(-2)
    found = torch.where(most >= high, truth, torch.where(most >= low, IGNORED, BACKGROUND))
    if ignored is not None:
        found = torch.where((found == BACKGROUND) & ignored, IGNORED, found)
    if force_best:
        claimed, claimant = _claims(overlap, all_ties).max(-2)
        found = torch.where(claimed, claimant, found)
    return found


def crowded(boxes: torch.Tensor, crowd: torch.Tensor, anchors: torch.Tensor, share: float) -> torch.Tensor:
    """Anchors [..., m, 4] that lie in a crowd of boxes [..., n, 4] -> bool [..., m]."""
    return ((covered(boxes, anchors) >= share) & crowd[..., None]).any(-2)


def best(scores: torch.Tensor, most: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The largest of [..., n], and their indices [..., most]; of equals the lowest first, which `topk` does not say."""
    values, places = scores.sort(dim=-1, descending=True, stable=True)
    return values[..., :most], places[..., :most]


def survivors(
    boxes: torch.Tensor, there: torch.Tensor, threshold: float, classes: torch.Tensor | None = None
) -> torch.Tensor:
    """Which of boxes [..., n, 4], the best first, no better survivor suppresses: bool [..., n]; others are padding.

    With `classes` [..., n] a box suppresses those of its own alone.

    What each step gives the first boxes, it gives one more rightly: it ends where nothing changes, after few.
    """
    suppresses = (iou(boxes, boxes) > threshold).triu(1)
    if classes is not None:
        suppresses = suppresses & (classes[..., :, None] == classes[..., None, :])
    kept = there
    while True:
        now = there & ~(suppresses & kept[..., None]).any(-2)
        if torch.equal(now, kept):
            return now
        kept = now


def nms(boxes: torch.Tensor, scores: torch.Tensor, threshold: float, most: int) -> torch.Tensor:
    """Indices of the boxes [..., n, 4] that are kept, the best score [..., n] first: [..., most], padded with NONE."""
    values, order = best(scores, scores.shape[-1])
    kept = survivors(taken(boxes, order), values > -torch.inf, threshold)
    first = best(kept.byte(), most)[1]
    found = torch.where(kept.gather(-1, first), order.gather(-1, first), NONE)
    return torch.nn.functional.pad(found, (0, most - found.shape[-1]), value=NONE)


def taken(boxes: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    """Of [..., n, 4] those at [..., m] -> [..., m, 4]."""
    return torch.take_along_dim(boxes, places[..., None], -2)


def _claims(overlap: torch.Tensor, all_ties: bool) -> torch.Tensor:
    """Whether a truth has an anchor as its best, bool [..., truths, anchors]."""
    best_overlap, nearest = overlap.max(-1, keepdim=True)
    if all_ties:
        return (overlap == best_overlap) & (best_overlap > 0)
    anchors = torch.arange(overlap.shape[-1], device=overlap.device)
    return (anchors == nearest) & (best_overlap > 0)


def _share(part: torch.Tensor, whole: torch.Tensor) -> torch.Tensor:
    """0 of nothing."""
    return torch.where(whole > 0, part / torch.where(whole > 0, whole, 1.0), 0.0)


def _centred(boxes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Centres and sizes [..., 2]."""
    size = boxes[..., 2:] - boxes[..., :2]
    return boxes[..., :2] + size / 2, size.clamp(min=SMALLEST_SIZE)
