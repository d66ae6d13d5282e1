"""The ResNet in Keras."""

from __future__ import annotations

from typing import Any

import keras
from keras import layers

from suite.resnet.spec import EPSILON, MOMENTUM, POOL_PADDING, POOL_SIZE, POOL_STRIDE, STEM, Layer, Resnet
from suite.trainers.keras_layers import BatchNormalization, Conv2D, Dense
from suite.trainers.keras_trainer import Classifier


class Impl(Classifier):
    spec: Resnet

    def network(self) -> keras.Model:
        images = keras.Input(self.spec.given)
        x = layers.ZeroPadding2D(POOL_PADDING)(layers.ReLU()(_layer(STEM, images)))
        x = layers.MaxPooling2D(POOL_SIZE, POOL_STRIDE)(x)
        for block in self.spec.blocks:
            shortcut = x if block.projection is None else _layer(block.projection, x)
            *inner, last = block.layers
            for one in inner:
                x = layers.ReLU()(_layer(one, x))
            x = layers.ReLU()(layers.Add()([_layer(last, x), shortcut]))
        x = layers.GlobalAveragePooling2D()(x)
        return keras.Model(images, Dense(self.spec.classes, name="dense")(x))


def _layer(one: Layer, x: Any) -> Any:
    """'same' would pad on one side alone where the stride is 2."""
    if one.stride > 1 and one.padding:
        x = layers.ZeroPadding2D(one.padding)(x)
    padding = "same" if one.stride == 1 else "valid"
    x = Conv2D(one.channels, one.size, one.stride, padding, use_bias=False, name=one.name)(x)
    return BatchNormalization(momentum=MOMENTUM, epsilon=EPSILON, name=one.norm)(x)
