"""ResNet-50 on ImageNet in TensorFlow."""

from __future__ import annotations

import tensorflow as tf

from suite.residual.tensorflow_residual import Residual, standardised
from suite.resnet50_imagenet.spec import Resnet50ImageNet
from suite.task import SCORES
from suite.trainers.tensorflow_trainer import Classifier, Tensors


class Impl(Classifier):
    spec: Resnet50ImageNet

    def forward(self, weights: Tensors, x: tf.Tensor, training: bool) -> tuple[tf.Tensor, Tensors]:
        net = Residual(weights, training)
        *_, x = net.stages(standardised(x, self.dtype, self.narrow), self.spec.blocks)
        return tf.reduce_mean(x, [1, 2]) @ weights["dense/kernel"] + weights["dense/bias"], net.statistics

    def loss(self, outputs: Tensors, batch: Tensors) -> tf.Tensor:
        scores = tf.nn.log_softmax(outputs[SCORES])
        right = tf.gather(scores, batch["y"], batch_dims=1)
        share = self.spec.smoothing
        return -tf.reduce_mean((1 - share) * right + share * tf.reduce_mean(scores, axis=1))
