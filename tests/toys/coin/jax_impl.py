"""Coins in JAX."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from suite.trainers.jax_trainer import Tensors, Trainer
from tests.toys.coin.spec import SITES


class Impl(Trainer):
    def apply(self, weights: Tensors, batch: Tensors, stage: str) -> tuple[Tensors, Tensors]:
        rows = batch["x"][..., None] * weights["rows/embeddings"]
        kept = [self.dropped(rows[:, number], site, batch) for number, site in enumerate(SITES)]
        return {"kept": jnp.stack(kept, 1)}, {}

    def loss(self, outputs: Tensors, batch: Tensors) -> jax.Array:
        return outputs["kept"].sum()
