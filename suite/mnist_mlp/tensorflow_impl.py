"""The dense network in TensorFlow."""

from __future__ import annotations

import tensorflow as tf

from suite.trainers.tensorflow_trainer import Tensors, Trainer


class Impl(Trainer):
    def forward(self, weights: Tensors, x: tf.Tensor, training: bool) -> tuple[tf.Tensor, Tensors]:
        """Images [n, 784] -> logits [n, 10]."""
        for layer in ("hidden1", "hidden2"):
            x = tf.nn.relu(x @ weights[f"{layer}/kernel"] + weights[f"{layer}/bias"])
        return x @ weights["output/kernel"] + weights["output/bias"], {}
