"""Coins in Keras."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from suite.trainers.keras_layers import Embedding
from suite.trainers.keras_stages import Trainer
from suite.trainers.keras_trainer import Tensors
from tests.toys.coin.spec import SITES, WIDTH


class Net(keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.rows = Embedding(len(SITES), WIDTH, name="rows")
        self.rows.build()
        self.built = True

    def call(self, x: Any) -> Any:
        return x[..., None] * self.rows.embeddings


class Impl(Trainer):
    def network(self) -> keras.Model:
        return Net()

    def apply(self, net: keras.Model, batch: Tensors, stage: str) -> Tensors:
        rows = net(batch["x"])
        kept = [self.dropped(rows[:, number], site, batch) for number, site in enumerate(SITES)]
        return {"kept": ops.stack(kept, 1)}

    def loss(self, outputs: Tensors, batch: Tensors) -> Any:
        return ops.sum(outputs["kept"])
