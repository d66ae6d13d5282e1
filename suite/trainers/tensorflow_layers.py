"""Layers in TensorFlow whose definition is the other frameworks'."""

from __future__ import annotations

from math import prod
from typing import Any

import tensorflow as tf

Tensors = dict[str, Any]
WORDS = ("gamma", "beta", "mean", "variance")


def convolution(x: tf.Tensor, kernel: tf.Tensor, stride: int = 1, padding: int = 0) -> tf.Tensor:
    """NHWC by HWIO, zeros around. "SAME" is that for a stride of 1; for 2 it would pad on one side alone.

    Explicit paddings have no fast kernel on a CPU: with them ResNet-50 trains 57 examples/s, so 153.
    """
    same = stride == 1 and 2 * padding + 1 == kernel.shape[0]
    x = x if same else padded(x, padding)
    return tf.nn.conv2d(x, kernel, stride, "SAME" if same else "VALID")


def flattened(x: tf.Tensor) -> tf.Tensor:
    """Images in the order height, width, channel, of a size that is known before they are."""
    return tf.reshape(x, [-1, prod(x.shape[1:])])


def padded(x: tf.Tensor, padding: int) -> tf.Tensor:
    """Zeros around images; after a ReLU they are as good as nothing for a maximum."""
    around = [padding, padding]
    return tf.pad(x, [[0, 0], around, around, [0, 0]]) if padding else x


def batch_norm(
    x: tf.Tensor, weights: Tensors, name: str, epsilon: float, momentum: float, training: bool
) -> tuple[tf.Tensor, Tensors]:
    """Normalised over all but the channels, and in training the new statistics; their variance is unbiased.

    The fused kernel has this definition, but not for float64, which serves the proof alone.
    """
    own = [tf.convert_to_tensor(weights[f"{name}/{word}"]) for word in WORDS]
    fused = _by_hand if x.dtype == tf.float64 else _fused
    normed, mean, variance = fused(x, own, epsilon, momentum, training)
    return normed, {f"{name}/mean": mean, f"{name}/variance": variance} if training else {}


def frozen_norm(x: tf.Tensor, weights: Tensors, name: str, epsilon: float) -> tf.Tensor:
    """Batch normalisation whose four arrays [channels] are constants."""
    gamma, beta, mean, variance = (
        weights[f"{name}/{word}"] for word in ("frozen_gamma", "frozen_beta", "mean", "variance")
    )
    scale = gamma * tf.math.rsqrt(variance + epsilon)
    return tf.cast((tf.cast(x, scale.dtype) - mean) * scale + beta, x.dtype)


def _fused(
    x: tf.Tensor, own: list[tf.Tensor], epsilon: float, momentum: float, training: bool
) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    scale, offset, mean, variance = own
    found = tf.raw_ops.FusedBatchNormV3(
        x=x,
        scale=scale,
        offset=offset,
        mean=mean,
        variance=variance,
        epsilon=epsilon,
        exponential_avg_factor=1 - momentum if training else 1.0,
        is_training=training,
    )
    return found.y, found.batch_mean, found.batch_variance


def _by_hand(
    x: tf.Tensor, own: list[tf.Tensor], epsilon: float, momentum: float, training: bool
) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    gamma, beta, mean, variance = own
    if not training:
        return tf.nn.batch_normalization(x, mean, variance, beta, gamma, epsilon), mean, variance
    now, spread = tf.nn.moments(x, [0, 1, 2])
    values = tf.cast(tf.size(x) // x.shape[-1], x.dtype)
    mean = momentum * mean + (1 - momentum) * now
    variance = momentum * variance + (1 - momentum) * spread * values / (values - 1)
    return tf.nn.batch_normalization(x, now, spread, beta, gamma, epsilon), mean, variance


def swapped(x: tf.Tensor) -> tf.Tensor:
    """[n, a, b, width] -> [n, b, a, width]."""
    return tf.transpose(x, [0, 2, 1, 3])
