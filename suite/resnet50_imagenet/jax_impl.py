"""ResNet-50 on ImageNet in JAX."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from suite.residual.jax_residual import Residual, standardised
from suite.resnet50_imagenet.spec import Resnet50ImageNet
from suite.task import SCORES
from suite.trainers.jax_trainer import Classifier, Tensors


class Impl(Classifier):
    spec: Resnet50ImageNet

    def forward(self, weights: Tensors, x: jax.Array, training: bool) -> tuple[jax.Array, Tensors]:
        net = Residual(self, weights, training)
        *_, x = net.stages(standardised(x, self.dtype, self.narrow), self.spec.blocks)
        return x.mean((1, 2)) @ weights["dense/kernel"] + weights["dense/bias"], net.statistics

    def loss(self, outputs: Tensors, batch: Tensors) -> jax.Array:
        scores = jax.nn.log_softmax(outputs[SCORES])
        right = jnp.take_along_axis(scores, batch["y"][:, None], axis=1)[:, 0]
        share = self.spec.smoothing
        return -((1 - share) * right + share * scores.mean(axis=1)).mean()
