"""The dense network in Keras."""

from __future__ import annotations

import keras

from suite.keras_backends import BACKEND
from suite.mnist_mlp.spec import MnistMlp
from suite.trainers.keras_layers import dense
from suite.trainers.keras_trainer import Classifier


class Impl(Classifier):
    spec: MnistMlp

    def default_mode(self, device: str) -> str:
        """xla on TensorFlow and a CPU, where graph trains 0.85 times as fast."""
        return "xla" if (BACKEND, device) == ("tensorflow", "cpu") else super().default_mode(device)

    def network(self) -> keras.Model:
        shapes = self.spec.shapes
        return keras.Sequential(
            [
                keras.Input(self.spec.given),
                dense(shapes, "hidden1", "relu"),
                dense(shapes, "hidden2", "relu"),
                dense(shapes, "output"),
            ]
        )
