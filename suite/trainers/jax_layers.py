"""Layers in JAX that have a fast form on a CPU and another on a GPU."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax


def convolution(x, kernel, stride: int = 1, padding: int = 0):
    """NHWC by HWIO, zeros around: the library's, fast on a GPU, and on a CPU outside of loops."""
    around = [(padding, padding)] * 2
    return lax.conv_general_dilated(
        x, kernel, (stride, stride), around, dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


def convolution_by_columns(x, kernel, stride: int = 1, padding: int = 0):
    """The same as one matrix product over shifted copies of the input (im2col).

    XLA runs a convolution inside a loop on one CPU thread, 45 times slower, but a matrix product fast.
    """
    height, width, _, channels = kernel.shape
    x = jnp.pad(x, ((0, 0), (padding, padding), (padding, padding), (0, 0)))
    n, rows, columns = len(x), _steps(x.shape[1], height, stride), _steps(x.shape[2], width, stride)
    shifts = [
        x[:, i : i + rows * stride : stride, j : j + columns * stride : stride]
        for i in range(height)
        for j in range(width)
    ]
    shifts = [one[:, :rows, :columns] for one in shifts]
    patches = jnp.concatenate(shifts, axis=3).reshape(n * rows * columns, -1)
    return (patches @ kernel.reshape(-1, channels)).reshape(n, rows, columns, channels)


def _steps(size: int, kernel: int, stride: int) -> int:
    return (size - kernel) // stride + 1


def max_pool(x):
    """2x2, as a maximum over a reshaped array: `reduce_window` costs a third of the throughput on a CPU."""
    n, height, width, channels = x.shape
    return x.reshape(n, height // 2, 2, width // 2, 2, channels).max(axis=(2, 4))
