"""Layers in JAX that have a fast form on a CPU and another on a GPU."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

import jax.numpy as jnp
from jax import Array, lax, named_scope


@named_scope("convolution")  # for profiles (suite.profilers): what XLA makes of it bears this name
def convolution(x: Array, kernel: Array, stride: int = 1, padding: int = 0) -> Array:
    """NHWC by HWIO, zeros around: the library's, fast on a GPU, and on a CPU outside of loops."""
    around = [(padding, padding)] * 2
    return lax.conv_general_dilated(
        x, kernel, (stride, stride), around, dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


@named_scope("convolution")
def convolution_by_columns(x: Array, kernel: Array, stride: int = 1, padding: int = 0) -> Array:
    """The same as one matrix product over shifted copies of the input (im2col).

    XLA runs a convolution inside a loop on one CPU thread, 45 times slower, but a matrix product fast.
    """
    height, width, _, channels = kernel.shape
    patches = jnp.concatenate(_shifts(x, height, width, stride, padding, 0), axis=3)
    n, rows, columns, depth = patches.shape
    return (patches.reshape(-1, depth) @ kernel.reshape(-1, channels)).reshape(n, rows, columns, channels)


def convolution_on_cpu(x: Array, kernel: Array, stride: int = 1, padding: int = 0) -> Array:
    """The faster of both outside of loops, by size.

    Measured forwards and backwards, library against columns: 1x1 kernels 12 to 4 ms, and 3x3 on images of 2x2, for
    which XLA has no fast kernel, 100 to 3 ms; but 12 to 28 ms on 8x8. ResNet-50 trains 1.25 times as fast by 4.
    """
    by_columns = kernel.shape[0] == 1 or x.shape[1] <= 4
    return (convolution_by_columns if by_columns else convolution)(x, kernel, stride, padding)


@named_scope("pooling")
def max_pool(x: Array, size: int) -> Array:
    """Over squares, as a maximum over a reshaped array: `reduce_window` costs a third of the throughput on a CPU."""
    n, height, width, channels = x.shape
    return x.reshape(n, height // size, size, width // size, size, channels).max(axis=(2, 4))


@named_scope("pooling")
def max_pool_overlapping(x: Array, size: int, stride: int, padding: int) -> Array:
    """The maximum of shifted copies, for the same reason."""
    return reduce(jnp.maximum, _shifts(x, size, size, stride, padding, -jnp.inf))


@named_scope("normalisation")
def batch_norm(
    x: Array, weights: Mapping[str, Array], name: str, epsilon: float, momentum: float, training: bool
) -> tuple[Array, dict[str, Array]]:
    """Normalised over all but the channels, and in training the new statistics; their variance is unbiased."""
    gamma, beta, mean, variance = (
        weights[f"{name}/{word}"] for word in ("gamma", "beta", "mean", "variance")
    )
    wide, changed = x.astype(gamma.dtype), {}
    if training:
        kept, values = {"mean": mean, "variance": variance}, x.size // x.shape[-1]
        mean, variance = wide.mean((0, 1, 2)), wide.var((0, 1, 2))
        seen = {"mean": mean, "variance": variance * (values / (values - 1))}
        changed = {f"{name}/{word}": momentum * kept[word] + (1 - momentum) * seen[word] for word in kept}
    normed = (wide - mean) * (gamma * lax.rsqrt(variance + epsilon)) + beta
    return normed.astype(x.dtype), changed


@named_scope("normalisation")
def frozen_norm(x: Array, weights: Mapping[str, Array], name: str, epsilon: float) -> Array:
    """Batch normalisation whose four arrays [channels] are constants."""
    gamma, beta, mean, variance = (
        weights[f"{name}/{word}"] for word in ("frozen_gamma", "frozen_beta", "mean", "variance")
    )
    return ((x.astype(gamma.dtype) - mean) * (gamma * lax.rsqrt(variance + epsilon)) + beta).astype(x.dtype)


def _shifts(x: Array, height: int, width: int, stride: int, padding: int, around: float) -> list[Array]:
    """What each place of a window sees, as the window moves over an image padded with `around`."""
    x = jnp.pad(x, ((0, 0), (padding, padding), (padding, padding), (0, 0)), constant_values=around)
    rows, columns = _steps(x.shape[1], height, stride), _steps(x.shape[2], width, stride)
    return [
        x[:, i : i + rows * stride : stride, j : j + columns * stride : stride][:, :rows, :columns]
        for i in range(height)
        for j in range(width)
    ]


def _steps(size: int, kernel: int, stride: int) -> int:
    return (size - kernel) // stride + 1
