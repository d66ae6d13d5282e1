"""ResNet-50 on ImageNet in Keras."""

from __future__ import annotations

from typing import Any

import keras
from keras import layers, ops

from suite.residual.keras_residual import Standardised, features
from suite.resnet50_imagenet.spec import Resnet50ImageNet
from suite.trainers.keras_layers import Dense
from suite.trainers.keras_trainer import Classifier


class Smoothed(keras.losses.Loss):
    """Softmax cross-entropy against labels of which a share is spread over all classes."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def call(self, y_true: Any, y_pred: Any) -> Any:
        scores = ops.log_softmax(y_pred)
        right = ops.take_along_axis(scores, ops.cast(ops.reshape(y_true, (-1, 1)), "int32"), axis=1)[:, 0]
        return -((1 - self.share) * right + self.share * ops.mean(scores, axis=1))


class Impl(Classifier):
    spec: Resnet50ImageNet

    def network(self) -> keras.Model:
        images = keras.Input(self.spec.given, dtype="uint8")
        *_, x = features(Standardised()(images), self.spec.blocks)
        x = layers.GlobalAveragePooling2D()(x)
        return keras.Model(images, Dense(self.spec.classes, name="dense")(x))

    def objective(self) -> keras.losses.Loss:
        return Smoothed(self.spec.smoothing)
