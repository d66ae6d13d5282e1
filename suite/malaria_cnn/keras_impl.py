"""The CNN in Keras."""

from __future__ import annotations

import keras
from keras import layers

from suite.image_classifier import POOL
from suite.malaria_cnn.spec import MalariaCnn
from suite.trainers.keras_layers import convolution, dense
from suite.trainers.keras_trainer import Classifier


class Impl(Classifier):
    spec: MalariaCnn

    def network(self) -> keras.Model:
        shapes = self.spec.shapes
        return keras.Sequential(
            [
                keras.Input(self.spec.given),
                convolution(shapes, "conv1"),
                layers.MaxPooling2D(POOL),
                convolution(shapes, "conv2"),
                layers.MaxPooling2D(POOL),
                convolution(shapes, "conv3"),
                layers.MaxPooling2D(POOL),
                layers.Flatten(),
                dense(shapes, "hidden", "relu"),
                dense(shapes, "output"),
            ]
        )
