"""The ResNet in JAX."""

from __future__ import annotations

import jax

from suite.resnet.spec import EPSILON, MOMENTUM, POOL_PADDING, POOL_SIZE, POOL_STRIDE, STEM, Layer, Resnet
from suite.trainers.jax_layers import batch_norm, max_pool_overlapping
from suite.trainers.jax_trainer import Classifier, Tensors


class Impl(Classifier):
    spec: Resnet

    def forward(self, weights: Tensors, x: jax.Array, training: bool) -> tuple[jax.Array, Tensors]:
        statistics: Tensors = {}

        def layer(one: Layer, x: jax.Array) -> jax.Array:
            x = self.convolution(x, weights[f"{one.name}/kernel"], training, one.stride, one.padding)
            x, changed = batch_norm(x, weights, one.norm, EPSILON, MOMENTUM, training)
            statistics.update(changed)
            return x

        x = max_pool_overlapping(jax.nn.relu(layer(STEM, x)), POOL_SIZE, POOL_STRIDE, POOL_PADDING)
        for block in self.spec.blocks:
            shortcut = x if block.projection is None else layer(block.projection, x)
            *inner, last = block.layers
            for one in inner:
                x = jax.nn.relu(layer(one, x))
            x = jax.nn.relu(layer(last, x) + shortcut)
        return x.mean((1, 2)) @ weights["dense/kernel"] + weights["dense/bias"], statistics
