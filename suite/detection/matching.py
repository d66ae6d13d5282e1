"""Which true box each anchor is to find: the same rule, with other numbers, for SSD, the RPN and the box head."""

import numpy as np

from suite.detection.boxes import covered

BACKGROUND, IGNORED = -1, -2


def match(
    iou: np.ndarray,
    valid: np.ndarray,
    low: float,
    high: float,
    force_best: bool,
    all_ties: bool = False,
    ignored: np.ndarray | None = None,
) -> np.ndarray:
    """Truth of each anchor, int [anchors], by `iou` [truths, anchors]: its index, or BACKGROUND, or IGNORED.

    An anchor takes the truth that it overlaps most, if by `high` or more; it is background below `low`, and ignored
    between. Padding and crowds are not `valid` [truths] and are taken by none. Of equals the lowest index wins.
    force_best: whatever the overlap, if there is any, each truth has its best anchor, which then is the lowest truth's
    of all that claim it (SSD: Liu et al. 2016, section 2.2); `all_ties`: all that are equally good (RPN: Ren et al.
    2015, section 3.1.2; torchvision gives a claimed anchor to the truth that it overlaps most).
    ignored: bool [anchors], that are not to be background: `crowded`.
    """
    nobody = np.full((1, iou.shape[1]), -1, iou.dtype)  # so that there may be no truth at all
    overlap = np.concatenate([np.where(valid[:, np.newaxis], iou, -1), nobody])
    most = overlap.max(0)
    found = np.where(most >= high, overlap.argmax(0), np.where(most >= low, IGNORED, BACKGROUND))
    if ignored is not None:
        found = np.where((found == BACKGROUND) & ignored, IGNORED, found)
    if force_best:
        claims = _claims(overlap, all_ties)
        found = np.where(claims.any(0), claims.argmax(0), found)
    return found


def _claims(overlap: np.ndarray, all_ties: bool) -> np.ndarray:
    """Whether a truth has an anchor as its best, bool [truths, anchors]."""
    best = overlap.max(1, keepdims=True)
    if all_ties:
        return (overlap == best) & (best > 0)
    return (np.arange(overlap.shape[1]) == overlap.argmax(1)[:, np.newaxis]) & (best > 0)


def crowded(boxes: np.ndarray, crowd: np.ndarray, anchors: np.ndarray, share: float) -> np.ndarray:
    """Anchors [m, 4] of which at least `share` lies in one of the boxes [n, 4] that are a `crowd` [n] -> bool [m].

    Within a crowd single objects are not told: whoever finds one there is neither right nor wrong (as in COCO's AP).
    """
    return ((covered(boxes, anchors) >= share) & crowd[:, np.newaxis]).any(0)
