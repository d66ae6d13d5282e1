"""The CNN in JAX."""

from __future__ import annotations

import jax

from suite.image_classifier import POOL
from suite.trainers.jax_layers import max_pool
from suite.trainers.jax_trainer import Classifier, Tensors


class Impl(Classifier):
    def forward(self, weights: Tensors, x: jax.Array, training: bool) -> tuple[jax.Array, Tensors]:
        for layer in ("conv1", "conv2"):
            kernel = weights[f"{layer}/kernel"]
            x = self.convolution(x, kernel, training, padding=len(kernel) // 2)
            x = max_pool(jax.nn.relu(x + weights[f"{layer}/bias"]), POOL)
        return x.reshape(len(x), -1) @ weights["dense/kernel"] + weights["dense/bias"], {}
