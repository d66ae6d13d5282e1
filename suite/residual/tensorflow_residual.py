"""The layers of a ResNet in TensorFlow."""

from __future__ import annotations

from collections.abc import Iterable

import tensorflow as tf

from suite.residual.layers import (
    EPSILON,
    MOMENTUM,
    POOL_PADDING,
    POOL_SIZE,
    POOL_STRIDE,
    Layer,
    ResidualBlock,
    stages,
)
from suite.residual.pixels import SCALE, SHIFT
from suite.trainers.tensorflow_layers import Tensors, batch_norm, convolution, padded


class Residual:
    """`statistics`: the new values that training has given those of the layers called so far."""

    def __init__(self, weights: Tensors, training: bool) -> None:
        self._weights, self._training = weights, training
        self.statistics: Tensors = {}

    def layer(self, one: Layer, x: tf.Tensor) -> tf.Tensor:
        x = convolution(x, self._weights[f"{one.name}/kernel"], one.stride, one.padding)
        x, changed = batch_norm(x, self._weights, one.norm, EPSILON, MOMENTUM, self._training)
        self.statistics.update(changed)
        return x

    def stages(self, x: tf.Tensor, blocks: Iterable[ResidualBlock]) -> list[tf.Tensor]:
        return stages(x, blocks, self.layer, tf.nn.relu, pooled)


def standardised(x: tf.Tensor, wide: tf.DType, narrow: tf.DType) -> tf.Tensor:
    """Pixels uint8 in the precision of the weights, and then in that of the layers."""
    return tf.cast(tf.cast(x, wide) * tf.constant(SCALE, wide) - tf.constant(SHIFT, wide), narrow)


def pooled(x: tf.Tensor) -> tf.Tensor:
    return tf.nn.max_pool2d(padded(x, POOL_PADDING), POOL_SIZE, POOL_STRIDE, "VALID")
