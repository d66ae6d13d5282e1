"""The ResNet in TensorFlow."""

from __future__ import annotations

import tensorflow as tf

from suite.resnet.spec import EPSILON, MOMENTUM, POOL_PADDING, POOL_SIZE, POOL_STRIDE, STEM, Layer, Resnet
from suite.trainers.tensorflow_layers import batch_norm, convolution, padded
from suite.trainers.tensorflow_trainer import Classifier, Tensors


class Impl(Classifier):
    spec: Resnet

    def forward(self, weights: Tensors, x: tf.Tensor, training: bool) -> tuple[tf.Tensor, Tensors]:
        statistics: Tensors = {}

        def layer(one: Layer, x: tf.Tensor) -> tf.Tensor:
            x = convolution(x, weights[f"{one.name}/kernel"], one.stride, one.padding)
            x, changed = batch_norm(x, weights, one.norm, EPSILON, MOMENTUM, training)
            statistics.update(changed)
            return x

        x = tf.nn.max_pool2d(
            padded(tf.nn.relu(layer(STEM, x)), POOL_PADDING), POOL_SIZE, POOL_STRIDE, "VALID"
        )
        for block in self.spec.blocks:
            shortcut = x if block.projection is None else layer(block.projection, x)
            *inner, last = block.layers
            for one in inner:
                x = tf.nn.relu(layer(one, x))
            x = tf.nn.relu(layer(last, x) + shortcut)
        return tf.reduce_mean(x, [1, 2]) @ weights["dense/kernel"] + weights["dense/bias"], statistics
