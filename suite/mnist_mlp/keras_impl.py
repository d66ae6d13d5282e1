"""The dense network in Keras."""

from __future__ import annotations

import keras
from keras import layers

from suite.trainers.keras_trainer import Trainer


class Impl(Trainer):
    def network(self) -> keras.Model:
        return keras.Sequential(
            [
                keras.Input([28 * 28]),
                layers.Dense(512, activation="relu", name="hidden1"),
                layers.Dense(512, activation="relu", name="hidden2"),
                layers.Dense(10, name="output"),
            ]
        )
