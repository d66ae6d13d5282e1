"""The LSTM in Keras."""

from __future__ import annotations

import keras

from suite.emotion_rnn.spec import CLASSES, LENGTH, EmotionRnn
from suite.keras_backends import BACKEND
from suite.trainers.keras_layers import LSTM, Dense, Embedding
from suite.trainers.keras_trainer import Classifier


class Impl(Classifier):
    spec: EmotionRnn

    def default_mode(self, device: str) -> str:
        """xla on TensorFlow and a CPU, where graph trains 0.65 times as fast, and unrolled 0.83.

        On a GPU, Keras takes cuDNN's LSTM, which XLA cannot.
        """
        return "xla" if (BACKEND, device) == ("tensorflow", "cpu") else super().default_mode(device)

    def network(self) -> keras.Model:
        return keras.Sequential(
            [
                keras.Input([LENGTH], dtype="int32"),
                Embedding(self.spec.vocabulary, self.spec.embedding, name="embedding"),
                LSTM(self.spec.hidden, name="lstm"),
                Dense(CLASSES, name="dense"),
            ]
        )
