"""RoIAlign (He et al. 2017, arXiv:1703.06870, section 3), and which level of a pyramid a box is taken from."""

import numpy as np

from suite.detection.boxes import areas


def roi_align(features: np.ndarray, rois: np.ndarray, size: int, scale: float, samples: int) -> np.ndarray:
    """Features [h, w, c] under each of the boxes `rois` [r, 4] of the image -> [r, size, size, c].

    `scale`: of the features to the image, 1/16 say. Each of size x size cells is the mean of samples x samples points
    in it, evenly placed; the value of a point is bilinear between the four centres of features around it. The centre
    of the first feature lies half a feature from the image's edge ("aligned"), so what is constant between centres
    beyond the outermost stays so; a point more than one feature away from all counts 0.
    """
    height, width, _ = features.shape
    x1, y1, x2, y2 = np.moveaxis(rois * scale - 0.5, -1, 0)
    rows = np.einsum("ryh,hwc->rywc", _weights(y1, y2, size, samples, height), features)
    return np.einsum("rxw,rywc->ryxc", _weights(x1, x2, size, samples, width), rows)


def _weights(first: np.ndarray, last: np.ndarray, size: int, samples: int, length: int) -> np.ndarray:
    """Of `length` features in each cell along one axis, of spans from `first` to `last` [r] -> [r, size, length]."""
    parts = (np.arange(size * samples) + 0.5) / (size * samples)
    at = (first[:, np.newaxis] + (last - first)[:, np.newaxis] * parts)[..., np.newaxis]
    inside = (at >= -1) & (at <= length)
    near = np.maximum(1 - np.abs(np.clip(at, 0, length - 1) - np.arange(length)), 0)
    return (near * inside).reshape(len(first), size, samples, length).mean(2)


def fpn_levels(
    boxes: np.ndarray, lowest: int, highest: int, usual_side: float = 224.0, usual_level: int = 4
) -> np.ndarray:
    """The level of each box [..., 4]: floor(usual_level + log2(side / usual_side)), within lowest and highest.

    Lin et al. 2017, arXiv:1612.03144, equation 1; side is the root of the area. Areas are compared with those at which
    a level begins, which all frameworks do alike: their logarithms differ in the last digit.
    """
    begins = usual_side * 2.0 ** (np.arange(lowest + 1, highest + 1) - usual_level)
    return lowest + (areas(boxes)[..., np.newaxis] >= begins**2).sum(-1)
