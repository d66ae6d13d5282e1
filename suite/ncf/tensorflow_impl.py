"""NeuMF in TensorFlow."""

from __future__ import annotations

import tensorflow as tf

from suite.ncf.ranking import TOP
from suite.ncf.spec import Ncf
from suite.task import SCORES, TRAIN
from suite.trainers.tensorflow_trainer import Tensors, Trainer


class Impl(Trainer):
    spec: Ncf

    # XLA takes each table in one pass, where Adam's operations one by one read and write it ten times: at the published
    # sizes and those of ml-latest-small a step takes 0.48 of the graph's time.
    default_modes = {"cpu": "xla", "cuda": "xla"}  # noqa: RUF012

    def apply(self, weights: Tensors, batch: Tensors, stage: str) -> tuple[Tensors, Tensors]:
        if stage == TRAIN:
            return {SCORES: self._scores(weights, batch["user"], batch["item"], batch)}, {}
        candidates = batch["candidates"]
        scores = self._scores(weights, batch["user"][:, tf.newaxis], candidates, batch)
        _, best = tf.math.top_k(scores, min(TOP, scores.shape[1]))  # of equal ones the first
        return {SCORES: scores, "ranked": tf.gather(candidates, best, batch_dims=1)}, {}

    def _scores(self, weights: Tensors, user: tf.Tensor, item: tf.Tensor, batch: Tensors) -> tf.Tensor:
        factors = self.spec.factors
        user, item = (
            tf.gather(weights["users/embeddings"], user),
            tf.gather(weights["items/embeddings"], item),
        )
        user = tf.broadcast_to(user, tf.shape(item))
        x = tf.concat([user[..., factors:], item[..., factors:]], axis=-1)
        for name in self.spec.hidden:
            x = tf.nn.relu(tf.matmul(x, weights[f"{name}/kernel"]) + weights[f"{name}/bias"])
            x = self.dropped(x, name, batch)
        both = tf.concat([user[..., :factors] * item[..., :factors], x], axis=-1)
        return (tf.matmul(both, weights["output/kernel"]) + weights["output/bias"])[..., 0]

    def loss(self, outputs: Tensors, batch: Tensors) -> tf.Tensor:
        scores = outputs[SCORES]
        labels = tf.cast(batch["rated"], scores.dtype)
        return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels, scores))
