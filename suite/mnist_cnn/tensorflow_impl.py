"""The CNN in TensorFlow."""

from __future__ import annotations

import tensorflow as tf

from suite.image_classifier import POOL
from suite.trainers.tensorflow_layers import flattened
from suite.trainers.tensorflow_trainer import Classifier, Tensors


class Impl(Classifier):
    def forward(self, weights: Tensors, x: tf.Tensor, training: bool) -> tuple[tf.Tensor, Tensors]:
        for layer in ("conv1", "conv2"):
            x = tf.nn.conv2d(x, weights[f"{layer}/kernel"], strides=1, padding="SAME")
            x = tf.nn.relu(tf.nn.bias_add(x, weights[f"{layer}/bias"]))
            x = tf.nn.max_pool2d(x, ksize=POOL, strides=POOL, padding="SAME")
        return flattened(x) @ weights["dense/kernel"] + weights["dense/bias"], {}
