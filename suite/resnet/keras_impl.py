"""The ResNet in Keras."""

from __future__ import annotations

import keras
from keras import layers

from suite.residual.keras_residual import features
from suite.resnet.spec import Resnet
from suite.trainers.keras_layers import Dense
from suite.trainers.keras_trainer import Classifier


class Impl(Classifier):
    spec: Resnet

    def network(self) -> keras.Model:
        images = keras.Input(self.spec.given)
        *_, x = features(images, self.spec.blocks)
        x = layers.GlobalAveragePooling2D()(x)
        return keras.Model(images, Dense(self.spec.classes, name="dense")(x))
