"""The layers of a ResNet in JAX."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import jax
import jax.numpy as jnp

from suite.residual.layers import (
    EPSILON,
    MOMENTUM,
    POOL_PADDING,
    POOL_SIZE,
    POOL_STRIDE,
    Layer,
    ResidualBlock,
    stages,
)
from suite.residual.pixels import SCALE, SHIFT
from suite.trainers.jax_layers import batch_norm, max_pool_overlapping
from suite.trainers.jax_trainer import Tensors, Trainer


class Residual:
    """`statistics`: the new values that training has given those of the layers called so far."""

    def __init__(self, trainer: Trainer, weights: Mapping[str, Any], training: bool) -> None:
        self._convolution, self._weights, self._training = trainer.convolution, weights, training
        self.statistics: Tensors = {}

    def layer(self, one: Layer, x: jax.Array) -> jax.Array:
        kernel = self._weights[f"{one.name}/kernel"]
        x = self._convolution(x, kernel, self._training, one.stride, one.padding)
        x, changed = batch_norm(x, self._weights, one.norm, EPSILON, MOMENTUM, self._training)
        self.statistics.update(changed)
        return x

    def stages(self, x: jax.Array, blocks: Iterable[ResidualBlock]) -> list[jax.Array]:
        return stages(x, blocks, self.layer, jax.nn.relu, pooled)


def standardised(x: jax.Array, wide: str, narrow: str) -> jax.Array:
    """Pixels uint8 in the precision of the weights, and then in that of the layers."""
    return (x.astype(wide) * jnp.asarray(SCALE, wide) - jnp.asarray(SHIFT, wide)).astype(narrow)


def pooled(x: jax.Array) -> jax.Array:
    return max_pool_overlapping(x, POOL_SIZE, POOL_STRIDE, POOL_PADDING)
