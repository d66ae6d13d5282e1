"""The layers of a ResNet in Keras."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from keras import layers, ops

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
from suite.trainers.keras_layers import BatchNormalization, Conv2D


class Standardised(layers.Layer):
    """`standardised` as a layer."""

    def call(self, x: Any) -> Any:
        return standardised(x, self.variable_dtype, self.compute_dtype)


def standardised(x: Any, wide: str, narrow: str) -> Any:
    """Pixels uint8 in the precision of the weights, and then in that of the layers."""
    scale, shift = (ops.convert_to_tensor(values, wide) for values in (SCALE, SHIFT))
    return ops.cast(ops.cast(x, wide) * scale - shift, narrow)


def layer(one: Layer, x: Any) -> Any:
    """'same' would pad on one side alone where the stride is 2."""
    if one.stride > 1 and one.padding:
        x = layers.ZeroPadding2D(one.padding)(x)
    padding = "same" if one.stride == 1 and one.padding else "valid"
    x = Conv2D(one.channels, one.size, one.stride, padding, use_bias=False, name=one.name)(x)
    return BatchNormalization(momentum=MOMENTUM, epsilon=EPSILON, name=one.norm)(x)


def features(x: Any, blocks: Iterable[ResidualBlock]) -> list[Any]:
    """Of each stage."""
    return stages(x, blocks, layer, _relu, _pooled)


def _relu(x: Any) -> Any:
    return layers.ReLU()(x)


def _pooled(x: Any) -> Any:
    return layers.MaxPooling2D(POOL_SIZE, POOL_STRIDE)(layers.ZeroPadding2D(POOL_PADDING)(x))
