"""Boxes from which detectors see all others, laid out by row, column and shape, as a convolution's outputs lie."""

from collections.abc import Sequence

import numpy as np

SIDE = 300
MAPS = (38, 19, 10, 5, 3, 1)
STEPS = (8, 16, 32, 64, 100, 300)
SIZES = (21, 45, 99, 153, 207, 261, 315)
RATIOS: Sequence[Sequence[int]] = ((2,), (2, 3), (2, 3), (2, 3), (2,), (2,))


def default_boxes(
    side: int = SIDE,
    maps: Sequence[int] = MAPS,
    steps: Sequence[float] = STEPS,
    sizes: Sequence[float] = SIZES,
    ratios: Sequence[Sequence[float]] = RATIOS,
) -> np.ndarray:
    """SSD's, float64 [n, 4] in pixels, 8 732 of SSD300 on COCO (Liu et al. 2016, arXiv:1512.02325, section 2.2).

    Of each map, which has `maps` x `maps` places, `steps` pixels apart: a square of its size, one of the geometric mean
    of its size and the next (there is one size more than maps), and of each ratio a wide box and a high one. No box is
    larger than the image; boxes stick out of it. Numbers as in NVIDIA's SSD and MLPerf, whose order is by shape first.
    """
    several = []
    for number, (places, step) in enumerate(zip(maps, steps, strict=True)):
        shapes = np.minimum(_shapes(sizes[number], sizes[number + 1], ratios[number]), side)
        several.append(_laid_out((np.arange(places) + 0.5) * step, (np.arange(places) + 0.5) * step, shapes))
    return np.concatenate(several)


def _shapes(size: float, larger: float, ratios: Sequence[float]) -> np.ndarray:
    """Width and height of each, [n, 2]."""
    square, between = float(size), np.sqrt(size * larger)
    both = [(size * np.sqrt(one), size / np.sqrt(one)) for one in ratios]
    oblong = [shape for wide, high in both for shape in ((wide, high), (high, wide))]
    return np.array([(square, square), (between, between), *oblong])


def grid_anchors(
    height: int, width: int, stride: float, sizes: Sequence[float], ratios: Sequence[float]
) -> np.ndarray:
    """Of one map of an RPN, height x width features `stride` pixels apart: float64 [height * width * shapes, 4].

    Ren et al. 2015, arXiv:1506.01497, section 3.1.1: of each ratio of height to width all sizes, which are roots of
    areas. Corners are whole pixels around a feature's first pixel, as in Detectron, so that what is equally good is
    equal in every framework.
    """
    roots = np.sqrt(np.asarray(ratios, float))
    high, wide = (
        np.multiply.outer(factors, np.asarray(sizes, float)).ravel() for factors in (roots, 1 / roots)
    )
    corners = np.round(np.stack([wide, high], -1) / 2)
    return _laid_out(np.arange(height) * stride, np.arange(width) * stride, 2 * corners)


def _laid_out(rows: np.ndarray, columns: np.ndarray, shapes: np.ndarray) -> np.ndarray:
    """Boxes of each shape [n, 2] around each place, [rows * columns * n, 4]."""
    y, x, shape = np.meshgrid(rows, columns, np.arange(len(shapes)), indexing="ij")
    centres, halves = np.stack([x, y], -1), shapes[shape] / 2
    return np.concatenate([centres - halves, centres + halves], -1).reshape(-1, 4)
