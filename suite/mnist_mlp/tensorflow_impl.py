"""The dense network in TensorFlow."""

from __future__ import annotations

import tensorflow as tf

from suite.trainers.tensorflow_trainer import Classifier, Tensors


class Impl(Classifier):
    # On 2 CPU cores graph trains 0.75 times as fast: XLA fuses what lies between the small products.
    default_modes = {"cpu": "xla", "cuda": "graph"}  # noqa: RUF012

    def forward(self, weights: Tensors, x: tf.Tensor, training: bool) -> tuple[tf.Tensor, Tensors]:
        for layer in ("hidden1", "hidden2"):
            x = tf.nn.relu(x @ weights[f"{layer}/kernel"] + weights[f"{layer}/bias"])
        return x @ weights["output/kernel"] + weights["output/bias"], {}
