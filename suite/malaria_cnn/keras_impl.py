"""The CNN in Keras."""

from __future__ import annotations

import keras
from keras import layers

from suite.trainers.keras_layers import Conv2D, Dense
from suite.trainers.keras_trainer import Classifier


class Impl(Classifier):
    def network(self) -> keras.Model:
        return keras.Sequential(
            [
                keras.Input([64, 64, 3]),
                Conv2D(16, 3, padding="same", activation="relu", name="conv1"),
                layers.MaxPooling2D(),
                Conv2D(32, 3, padding="same", activation="relu", name="conv2"),
                layers.MaxPooling2D(),
                Conv2D(64, 3, padding="same", activation="relu", name="conv3"),
                layers.MaxPooling2D(),
                layers.Flatten(),
                Dense(64, activation="relu", name="hidden"),
                Dense(2, name="output"),
            ]
        )
