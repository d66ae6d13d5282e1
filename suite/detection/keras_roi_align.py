"""RoIAlign from a feature pyramid in Keras, on every backend: suite.detection.roi_align, each box from its level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from keras import ops

from suite.keras_backends import BACKEND

Along = tuple[Any, Any]  # places on one axis, and their weights


def roi_align(
    pyramid: Sequence[Any], rois: Any, levels: Any, strides: Sequence[int], size: int, samples: int = 2
) -> Any:
    """Levels [n, h, w, c] under boxes [n, r, 4], each of one of the `levels` [n, r] -> [n, r, size, size, c].

    Every cell is a weighted sum of some rows of one table, which holds the features of all levels: so shapes are the
    same, whatever the boxes. Gradients flow to the features alone.
    """
    channels, boxes, n = pyramid[0].shape[-1], rois.shape[1], ops.shape(rois)[0]
    rows_of_table = sum(one.shape[1] * one.shape[2] for one in pyramid)
    table = ops.concatenate([ops.reshape(one, (n, -1, channels)) for one in pyramid], 1)
    high, wide, begin = (ops.take(ops.convert_to_tensor(one), levels) for one in _tables(pyramid))
    stride = ops.take(ops.convert_to_tensor(strides, rois.dtype), levels)
    rois = ops.stop_gradient(rois) / ops.expand_dims(stride, -1) - 0.5
    x1, y1, x2, y2 = (rois[..., axis] for axis in range(rois.shape[-1]))
    rows, of_rows = _along(y1, y2, high, size, samples)
    columns, of_columns = _along(x1, x2, wide, size, samples)
    begin = begin + rows_of_table * ops.expand_dims(ops.arange(n, dtype="int32"), -1)
    begin, wide = (ops.reshape(one, (n, boxes, 1, 1, 1, 1)) for one in (begin, wide))
    rows, of_rows = (one[:, :, :, None, :, None] for one in (rows, of_rows))
    columns, of_columns = (one[:, :, None, :, None, :] for one in (columns, of_columns))
    each = begin + rows * wide + columns, ops.cast(of_rows * of_columns, table.dtype)
    each = tuple(ops.transpose(ops.reshape(one, (-1, (2 * samples) ** 2))) for one in each)
    cells = _summed(ops.reshape(table, (-1, channels)), *each)
    return ops.reshape(cells, (n, boxes, size, size, channels))


def _summed(table: Any, places: Any, weights: Any) -> Any:
    """Rows of a table [k, c] at places [m, cells], each by its weight -> [cells, c].

    One place of all cells after the other: at once it takes XLA longer on a CPU, and 16 times the memory. On TensorFlow
    XLA does not compile the gradients of Keras' own loop.
    """
    if BACKEND == "tensorflow":
        from suite.detection.tensorflow_roi_align import summed

        return summed(table, places, weights)

    def add(found: Any, one: Along) -> tuple[Any, Any]:
        return found + ops.take(table, one[0], axis=0) * ops.expand_dims(one[1], -1), None

    nothing = ops.zeros((ops.shape(places)[1], table.shape[-1]), table.dtype)
    return ops.scan(add, nothing, (places, weights))[0]


def _tables(pyramid: Sequence[Any]) -> tuple[np.ndarray, ...]:
    """Of each level: height, width, and where it begins in the table."""
    high, wide = (np.array([one.shape[axis] for one in pyramid], np.int32) for axis in (1, 2))
    return high, wide, np.cumsum(high * wide, dtype=np.int32) - high * wide


def _along(first: Any, last: Any, length: Any, size: int, samples: int) -> Along:
    """Spans [n, r] on an axis of `length` [n, r] features -> [n, r, size, 2 * samples] of features in each cell."""
    parts = (ops.arange(size * samples, dtype=first.dtype) + 0.5) / (size * samples)
    first, last, length = (ops.expand_dims(one, -1) for one in (first, last, length))
    at, most = first + (last - first) * parts, ops.cast(length, first.dtype)
    inside = ops.cast(ops.logical_and(at >= -1, at <= most), at.dtype)
    at = ops.minimum(ops.maximum(at, 0), most - 1)
    low = ops.floor(at)
    share, low = at - low, ops.cast(low, length.dtype)
    places = ops.stack([low, ops.minimum(low + 1, length - 1)], -1)
    weights = ops.stack([1 - share, share], -1) * ops.expand_dims(inside, -1) / samples
    shape = (ops.shape(first)[0], first.shape[1], size, 2 * samples)
    return ops.reshape(places, shape), ops.reshape(weights, shape)
