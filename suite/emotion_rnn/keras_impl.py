"""The LSTM in Keras."""

from __future__ import annotations

import os

import keras
from keras import layers

from suite.emotion_rnn.spec import CLASSES, LENGTH
from suite.trainers.keras_trainer import Trainer

UNROLL = os.environ.get("UNROLL") == "1"


class Impl(Trainer):
    def network(self) -> keras.Model:
        return keras.Sequential(
            [
                keras.Input([LENGTH], dtype="int32"),
                layers.Embedding(self.spec.vocabulary, self.spec.embedding, name="embedding"),
                layers.LSTM(self.spec.units, unroll=UNROLL, name="lstm"),
                layers.Dense(CLASSES, name="dense"),
            ]
        )
