"""The CNN in JAX."""

from __future__ import annotations

import jax

from suite.trainers.jax_layers import max_pool
from suite.trainers.jax_trainer import Classifier, Tensors


class Impl(Classifier):
    def forward(self, weights: Tensors, x: jax.Array, training: bool) -> tuple[jax.Array, Tensors]:
        """Images [n, 28, 28, 1] -> logits [n, 10]."""
        for layer, padding in (("conv1", 1), ("conv2", 2)):
            x = self.convolution(x, weights[f"{layer}/kernel"], training, padding=padding)
            x = max_pool(jax.nn.relu(x + weights[f"{layer}/bias"]))
        return x.reshape(len(x), -1) @ weights["dense/kernel"] + weights["dense/bias"], {}
