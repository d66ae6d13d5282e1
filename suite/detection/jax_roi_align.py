"""RoIAlign from a feature pyramid in JAX: suite.detection.roi_align, each box from its own level."""

from __future__ import annotations

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

Along = tuple[Array, Array]  # places on one axis, and their weights


def roi_align(
    pyramid: Sequence[Array], rois: Array, levels: Array, strides: Sequence[int], size: int, samples: int = 2
) -> Array:
    """Levels [n, h, w, c] under boxes [n, r, 4], each of one of the `levels` [n, r] -> [n, r, size, size, c].

    Every cell is a weighted sum of some rows of one table, which holds the features of all levels: so shapes are the
    same, whatever the boxes. Gradients flow to the features alone.
    """
    n, *_, channels = pyramid[0].shape
    table = jnp.concatenate([one.reshape(n, -1, channels) for one in pyramid], 1)
    high, wide, begin = (jnp.asarray(one)[levels] for one in _tables(pyramid))
    stride = jnp.asarray(strides, rois.dtype)[levels]
    x1, y1, x2, y2 = jnp.moveaxis(lax.stop_gradient(rois) / stride[..., None] - 0.5, -1, 0)
    rows, of_rows = _along(y1, y2, high, size, samples)
    columns, of_columns = _along(x1, x2, wide, size, samples)
    begin += table.shape[1] * jnp.arange(n)[:, None]
    begin, wide = (one[..., None, None, None, None] for one in (begin, wide))
    places = begin + rows[..., :, None, :, None] * wide + columns[..., None, :, None, :]
    weights = of_rows[..., :, None, :, None] * of_columns[..., None, :, None, :]
    each = places, weights.astype(table.dtype)
    each = tuple(jnp.moveaxis(one.reshape(*one.shape[:4], -1), -1, 0) for one in each)
    return _summed(table.reshape(-1, channels), *each)


def _summed(table: Array, places: Array, weights: Array) -> Array:
    """Rows of a table [k, c] at places [m, ...], each by its weight -> [..., c].

    One place of all cells after the other: at once XLA takes 8 times as long on a CPU, and 16 times the memory.
    """

    def add(found: Array, one: Along) -> tuple[Array, None]:
        return found + table.at[one[0]].get(mode="promise_in_bounds") * one[1][..., None], None

    nothing = jnp.zeros((*places.shape[1:], table.shape[-1]), table.dtype)
    return lax.scan(add, nothing, lax.optimization_barrier((places, weights)))[0]


def _tables(pyramid: Sequence[Array]) -> tuple[np.ndarray, ...]:
    """Of each level: height, width, and where it begins in the table."""
    high, wide = (np.array([one.shape[axis] for one in pyramid], np.int32) for axis in (1, 2))
    return high, wide, np.cumsum(high * wide, dtype=np.int32) - high * wide


def _along(first: Array, last: Array, length: Array, size: int, samples: int) -> Along:
    """Spans [n, r] on an axis of `length` [n, r] features -> [n, r, size, 2 * samples] of features in each cell."""
    parts = (jnp.arange(size * samples, dtype=first.dtype) + 0.5) / (size * samples)
    at, length = first[..., None] + (last - first)[..., None] * parts, length[..., None]
    inside = (at >= -1) & (at <= length)
    at = jnp.clip(at, 0, length - 1)
    low = jnp.floor(at).astype(length.dtype)
    share = at - low
    places = jnp.stack([low, jnp.minimum(low + 1, length - 1)], -1)
    weights = jnp.stack([1 - share, share], -1) * inside[..., None] / samples
    shape = *first.shape, size, 2 * samples
    return places.reshape(shape), weights.reshape(shape)
