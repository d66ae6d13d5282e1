"""The ResNet in TensorFlow."""

from __future__ import annotations

import tensorflow as tf

from suite.residual.tensorflow_residual import Residual
from suite.resnet.spec import Resnet
from suite.trainers.tensorflow_trainer import Classifier, Tensors


class Impl(Classifier):
    spec: Resnet

    def forward(self, weights: Tensors, x: tf.Tensor, training: bool) -> tuple[tf.Tensor, Tensors]:
        net = Residual(weights, training)
        *_, x = net.stages(x, self.spec.blocks)
        return tf.reduce_mean(x, [1, 2]) @ weights["dense/kernel"] + weights["dense/bias"], net.statistics
