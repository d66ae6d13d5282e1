"""Non-maximum suppression, greedy (Felzenszwalb et al. 2010, section 5.3): of boxes that show the same, the best."""

import numpy as np

from suite.detection.boxes import iou

NONE = -1


def nms(boxes: np.ndarray, scores: np.ndarray, threshold: float, most: int) -> np.ndarray:
    """Indices of the boxes [n, 4] that are kept, the best score [n] first, int [most], padded with NONE.

    Each takes away the later ones that it overlaps by more than `threshold`; by just as much is not more. Of equal
    scores the lowest index comes first. A box whose score is -infinity is padding, and is not kept.
    """
    return nms_by_class(boxes, scores, np.zeros(len(boxes), int), threshold, most)


def nms_by_class(
    boxes: np.ndarray, scores: np.ndarray, classes: np.ndarray, threshold: float, most: int
) -> np.ndarray:
    """As `nms`; a box takes away only those of its own class [n], and `most` are kept of all classes together."""
    kept, left = np.full(most, NONE), scores.copy()
    for place in range(most if len(boxes) else 0):
        best = left.argmax()
        if left[best] == -np.inf:
            break
        kept[place] = best
        near = iou(boxes[best : best + 1], boxes)[0] > threshold
        left[near & (classes == classes[best])] = -np.inf
        left[best] = -np.inf  # an empty box does not overlap itself
    return kept
