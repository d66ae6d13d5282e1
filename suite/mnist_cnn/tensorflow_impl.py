"""The CNN in TensorFlow."""

from __future__ import annotations

import tensorflow as tf

from suite.trainers.tensorflow_trainer import Classifier, Tensors


class Impl(Classifier):
    def forward(self, weights: Tensors, x: tf.Tensor, training: bool) -> tuple[tf.Tensor, Tensors]:
        """Images [n, 28, 28, 1] -> logits [n, 10]."""
        for layer in ("conv1", "conv2"):
            x = tf.nn.conv2d(x, weights[f"{layer}/kernel"], strides=1, padding="SAME")
            x = tf.nn.relu(tf.nn.bias_add(x, weights[f"{layer}/bias"]))
            x = tf.nn.max_pool2d(x, ksize=2, strides=2, padding="SAME")
        return tf.reshape(x, [-1, 7 * 7 * 128]) @ weights["dense/kernel"] + weights["dense/bias"], {}
