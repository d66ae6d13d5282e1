"""The CNN in Keras."""

from __future__ import annotations

import keras
from keras import layers

from suite.trainers.keras_trainer import Trainer


class Impl(Trainer):
    def network(self) -> keras.Model:
        return keras.Sequential(
            [
                keras.Input([32, 32, 3]),
                layers.Conv2D(32, 3, padding="same", activation="relu", name="conv1"),
                layers.MaxPooling2D(),
                layers.Conv2D(64, 3, padding="same", activation="relu", name="conv2"),
                layers.MaxPooling2D(),
                layers.Conv2D(128, 3, padding="same", activation="relu", name="conv3"),
                layers.MaxPooling2D(),
                layers.Flatten(),
                layers.Dense(128, activation="relu", name="hidden"),
                layers.Dense(10, name="output"),
            ]
        )
