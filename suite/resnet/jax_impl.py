"""The ResNet in JAX."""

from __future__ import annotations

import jax

from suite.residual.jax_residual import Residual
from suite.resnet.spec import Resnet
from suite.trainers.jax_trainer import Classifier, Tensors


class Impl(Classifier):
    spec: Resnet

    def forward(self, weights: Tensors, x: jax.Array, training: bool) -> tuple[jax.Array, Tensors]:
        net = Residual(self, weights, training)
        *_, x = net.stages(x, self.spec.blocks)
        return x.mean((1, 2)) @ weights["dense/kernel"] + weights["dense/bias"], net.statistics
