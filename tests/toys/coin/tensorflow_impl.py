"""Coins in TensorFlow."""

from __future__ import annotations

import tensorflow as tf

from suite.trainers.tensorflow_trainer import Tensors, Trainer
from tests.toys.coin.spec import SITES


class Impl(Trainer):
    def apply(self, weights: Tensors, batch: Tensors, stage: str) -> tuple[Tensors, Tensors]:
        rows = batch["x"][..., tf.newaxis] * weights["rows/embeddings"]
        kept = [self.dropped(rows[:, number], site, batch) for number, site in enumerate(SITES)]
        return {"kept": tf.stack(kept, 1)}, {}

    def loss(self, outputs: Tensors, batch: Tensors) -> tf.Tensor:
        return tf.reduce_sum(outputs["kept"])
