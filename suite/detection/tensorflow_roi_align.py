"""RoIAlign from a feature pyramid in TensorFlow: suite.detection.roi_align, each box from its own level."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

Along = tuple[tf.Tensor, tf.Tensor]  # places on one axis, and their weights


def roi_align(
    pyramid: Sequence[tf.Tensor],
    rois: tf.Tensor,
    levels: tf.Tensor,
    strides: Sequence[int],
    size: int,
    samples: int = 2,
) -> tf.Tensor:
    """Levels [n, h, w, c] under boxes [n, r, 4], each of one of the `levels` [n, r] -> [n, r, size, size, c].

    Every cell is a weighted sum of some rows of one table, which holds the features of all levels: so shapes are the
    same, whatever the boxes. Gradients flow to the features alone.
    """
    channels = pyramid[0].shape[-1]
    n, boxes = tf.shape(rois)[0], rois.shape[1]
    table = tf.concat([tf.reshape(one, [n, -1, channels]) for one in pyramid], 1)
    high, wide, begin = (tf.gather(one, levels) for one in _tables(pyramid))
    stride = tf.gather(tf.constant(strides, rois.dtype), levels)
    x1, y1, x2, y2 = tf.unstack(tf.stop_gradient(rois) / stride[..., tf.newaxis] - 0.5, axis=-1)
    rows, of_rows = _along(y1, y2, high, size, samples)
    columns, of_columns = _along(x1, x2, wide, size, samples)
    begin += tf.shape(table)[1] * tf.range(n)[:, tf.newaxis]
    begin, wide = (tf.reshape(one, [n, boxes, 1, 1, 1, 1]) for one in (begin, wide))
    places = (
        begin + rows[..., :, tf.newaxis, :, tf.newaxis] * wide + columns[..., tf.newaxis, :, tf.newaxis, :]
    )
    weights = of_rows[..., :, tf.newaxis, :, tf.newaxis] * of_columns[..., tf.newaxis, :, tf.newaxis, :]
    each = places, tf.cast(weights, table.dtype)
    each = tuple(tf.transpose(tf.reshape(one, [-1, (2 * samples) ** 2])) for one in each)
    cells = summed(tf.reshape(table, [-1, channels]), *each)
    return tf.reshape(cells, [n, boxes, size, size, channels])


def summed(table: tf.Tensor, places: tf.Tensor, weights: tf.Tensor) -> tf.Tensor:
    """Rows of a table [k, c] at places [m, cells], each by its weight -> [cells, c].

    One place of all cells after the other: at once it takes XLA 2 times as long on a CPU, and 16 times the memory.
    """
    times = places.shape[0]

    def add(number: tf.Tensor, found: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return number + 1, found + tf.gather(table, places[number]) * weights[number][:, tf.newaxis]

    nothing = tf.zeros([tf.shape(places)[1], table.shape[-1]], table.dtype)
    return tf.while_loop(lambda number, _: number < times, add, (0, nothing), maximum_iterations=times)[1]


def _tables(pyramid: Sequence[tf.Tensor]) -> tuple[np.ndarray, ...]:
    """Of each level: height, width, and where it begins in the table."""
    high, wide = (np.array([one.shape[axis] for one in pyramid], np.int32) for axis in (1, 2))
    return high, wide, np.cumsum(high * wide, dtype=np.int32) - high * wide


def _along(first: tf.Tensor, last: tf.Tensor, length: tf.Tensor, size: int, samples: int) -> Along:
    """Spans [n, r] on an axis of `length` [n, r] features -> [n, r, size, 2 * samples] of features in each cell."""
    parts = (tf.range(size * samples, dtype=first.dtype) + 0.5) / (size * samples)
    at, length = first[..., tf.newaxis] + (last - first)[..., tf.newaxis] * parts, length[..., tf.newaxis]
    most = tf.cast(length, at.dtype)
    inside = tf.cast((at >= -1) & (at <= most), at.dtype)
    at = tf.minimum(tf.nn.relu(at), most - 1)
    low = tf.floor(at)
    share, low = at - low, tf.cast(low, length.dtype)
    places = tf.stack([low, tf.minimum(low + 1, length - 1)], -1)
    weights = tf.stack([1 - share, share], -1) * inside[..., tf.newaxis] / samples
    shape = [tf.shape(first)[0], first.shape[1], size, 2 * samples]
    return tf.reshape(places, shape), tf.reshape(weights, shape)
