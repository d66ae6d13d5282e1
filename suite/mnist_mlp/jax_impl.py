"""The dense network in JAX."""

from __future__ import annotations

import jax

from suite.trainers.jax_trainer import Classifier, Tensors


class Impl(Classifier):
    def forward(self, weights: Tensors, x: jax.Array, training: bool) -> tuple[jax.Array, Tensors]:
        for layer in ("hidden1", "hidden2"):
            x = jax.nn.relu(x @ weights[f"{layer}/kernel"] + weights[f"{layer}/bias"])
        return x @ weights["output/kernel"] + weights["output/bias"], {}
