"""The cipher in TensorFlow."""

from __future__ import annotations

import tensorflow as tf

from suite.task import INFER, TRAIN
from suite.trainers.tensorflow_trainer import Tensors, Trainer
from tests.toys.cipher.spec import REMEMBERED, SEEN


class Impl(Trainer):
    def apply(self, weights: Tensors, batch: Tensors, stage: str) -> tuple[Tensors, Tensors]:
        x = tf.gather(weights["embedding/embeddings"], batch["source"])
        rows = tf.shape(x)[0]
        seen = self.dropped(x + REMEMBERED * batch["memory"][:rows, tf.newaxis], SEEN, batch)
        logits = seen @ weights["dense/kernel"] + weights["dense/bias"]
        memory = tf.pad(tf.reduce_mean(x, 1), [[0, tf.shape(batch["memory"])[0] - rows], [0, 0]])
        if stage in (TRAIN, INFER):
            return {"logits": logits, "memory": memory}, {}
        words = tf.cast(batch["source"] > 0, tf.int64)
        return {"tokens": tf.argmax(logits, -1) * words, "memory": memory}, {}

    def loss(self, outputs: Tensors, batch: Tensors) -> tf.Tensor:
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(batch["target"], outputs["logits"])
        words = tf.cast(batch["target"] > 0, losses.dtype)
        return tf.reduce_sum(losses * words) / tf.reduce_sum(words)
