"""SSD in JAX."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from suite.residual.jax_residual import Residual, standardised
from suite.ssd.jax_multibox import detected, losses
from suite.ssd.spec import Ssd
from suite.task import TRAIN
from suite.trainers import jax_trainer
from suite.trainers.jax_trainer import Tensors


class Impl(jax_trainer.Trainer):
    spec: Ssd

    def apply(self, weights: Tensors, batch: Tensors, stage: str) -> tuple[Tensors, Tensors]:
        training = stage == TRAIN
        net = Residual(self, weights, training)
        x = standardised(batch["image"], self.dtype, self.narrow)
        maps = net.stages(x, self.spec.blocks)[-1:]
        for extra in self.spec.extras:
            squeezed = jax.nn.relu(net.layer(extra.squeeze, maps[-1]))
            maps.append(jax.nn.relu(net.layer(extra.spread, squeezed)))

        def head(name: str, number: int, x: jax.Array) -> jax.Array:
            kernel, bias = (weights[f"{name}{number}/{word}"] for word in ("kernel", "bias"))
            found = self.convolution(x, kernel, training, padding=len(kernel) // 2) + bias
            return found.reshape(len(x), -1, self.spec.told[name])

        told = {
            name: jnp.concatenate([head(name, *one) for one in enumerate(maps)], 1) for name in self.spec.told
        }
        if training:
            return told, net.statistics
        wide = {name: one.astype(self.dtype) for name, one in told.items()}
        return detected(wide["offsets"], wide["logits"], self._defaults(), self.spec), {}

    def loss(self, outputs: Tensors, batch: Tensors) -> jax.Array:
        """Mean over the images of what their matched boxes lose; an image without any loses nothing."""
        parts = losses(outputs["offsets"], outputs["logits"], batch, self._defaults(), self.spec)
        both = parts["placed"] + parts["classified"]
        return (both / jnp.maximum(parts["matched"], 1)).mean()

    def _defaults(self) -> jax.Array:
        return jnp.asarray(self.spec.defaults, self.dtype)
