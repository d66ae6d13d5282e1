"""Boxes [..., 4]: x1, y1, x2, y2 in pixels, x to the right and y down; a pixel is 1 wide, so no size has a "+ 1"."""

import math

import numpy as np

# Of a logarithm of a size (Detectron's BBOX_XFORM_CLIP): what a box grows to stays finite.
LARGEST_GROWTH = math.log(1000 / 16)
# Of a size, where one is divided by or has a logarithm: a padded box, which has none, gives finite numbers.
SMALLEST_SIZE = 1e-8


def areas(boxes: np.ndarray) -> np.ndarray:
    """[..., 4] -> [...]; one that ends before it begins has none."""
    return np.maximum(boxes[..., 2:] - boxes[..., :2], 0).prod(-1)


def intersections(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Areas that boxes [..., n, 4] share with others [..., m, 4] -> [..., n, m]."""
    near = np.maximum(one[..., :, np.newaxis, :2], other[..., np.newaxis, :, :2])
    far = np.minimum(one[..., :, np.newaxis, 2:], other[..., np.newaxis, :, 2:])
    return np.maximum(far - near, 0).prod(-1)


def iou(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Intersection over union, [..., n, 4] and [..., m, 4] -> [..., n, m]; 0 where the union is empty."""
    shared = intersections(one, other)
    union = areas(one)[..., :, np.newaxis] + areas(other)[..., np.newaxis, :] - shared
    return np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)


def covered(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Share of each of `other` [..., m, 4] that lies in each of `one` [..., n, 4] -> [..., n, m]; of an empty one 0."""
    shared = intersections(one, other)
    whole = np.broadcast_to(areas(other)[..., np.newaxis, :], shared.shape)
    return np.divide(shared, whole, out=np.zeros_like(shared), where=whole > 0)


def clipped(boxes: np.ndarray, height: np.ndarray | float, width: np.ndarray | float) -> np.ndarray:
    """Cut at the edges of the image; `height` and `width` are numbers, or arrays that broadcast to [...]."""
    edges = np.stack(np.broadcast_arrays(width, height, width, height), -1)
    return np.clip(boxes, 0, edges.astype(boxes.dtype))


def encode(boxes: np.ndarray, anchors: np.ndarray, weights: tuple[float, ...]) -> np.ndarray:
    """What a network learns to say of boxes [..., 4], each seen from its anchor [..., 4]: deltas [..., 4].

    Shift of the centre in sizes of the anchor, and logarithm of the growth, each times its weight of x, y, width and
    height (Girshick et al. 2014, arXiv:1311.2524, appendix C). SSD's variances 0.1 and 0.2 are the weights 10 and 5.
    """
    centre, size = _centred(boxes)
    from_centre, from_size = _centred(anchors)
    deltas = np.concatenate([(centre - from_centre) / from_size, np.log(size / from_size)], -1)
    return deltas * np.asarray(weights, deltas.dtype)


def decode(deltas: np.ndarray, anchors: np.ndarray, weights: tuple[float, ...]) -> np.ndarray:
    """The boxes [..., 4] that deltas [..., 4] mean, seen from their anchors [..., 4]: `encode` undone."""
    from_centre, from_size = _centred(anchors)
    shift, growth = np.split(deltas / np.asarray(weights, deltas.dtype), 2, -1)
    centre = from_centre + shift * from_size
    half = np.exp(np.minimum(growth, LARGEST_GROWTH)) * from_size / 2
    return np.concatenate([centre - half, centre + half], -1)


def _centred(boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Centres [..., 2] and sizes [..., 2]."""
    size = boxes[..., 2:] - boxes[..., :2]
    return boxes[..., :2] + size / 2, np.maximum(size, SMALLEST_SIZE)
