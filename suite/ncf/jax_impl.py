"""NeuMF in JAX."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from suite.ncf.ranking import TOP
from suite.ncf.spec import Ncf
from suite.task import SCORES, TRAIN
from suite.trainers.jax_trainer import Tensors, Trainer


class Impl(Trainer):
    spec: Ncf

    def apply(self, weights: Tensors, batch: Tensors, stage: str) -> tuple[Tensors, Tensors]:
        if stage == TRAIN:
            return {SCORES: self._scores(weights, batch["user"], batch["item"], batch)}, {}
        candidates = batch["candidates"]
        scores = self._scores(weights, batch["user"][:, None], candidates, batch)
        _, best = lax.top_k(scores, min(TOP, scores.shape[1]))  # of equal ones the first
        return {SCORES: scores, "ranked": jnp.take_along_axis(candidates, best, axis=1)}, {}

    def _scores(self, weights: Tensors, user: jax.Array, item: jax.Array, batch: Tensors) -> jax.Array:
        factors = self.spec.factors
        user, item = jnp.broadcast_arrays(
            weights["users/embeddings"][user], weights["items/embeddings"][item]
        )
        x = jnp.concatenate([user[..., factors:], item[..., factors:]], axis=-1)
        for name in self.spec.hidden:
            x = jax.nn.relu(x @ weights[f"{name}/kernel"] + weights[f"{name}/bias"])
            x = self.dropped(x, name, batch)
        both = jnp.concatenate([user[..., :factors] * item[..., :factors], x], axis=-1)
        return (both @ weights["output/kernel"] + weights["output/bias"])[..., 0]

    def loss(self, outputs: Tensors, batch: Tensors) -> jax.Array:
        """-log sigmoid(score) of a rating, -log sigmoid(-score) of a negative."""
        scores = outputs[SCORES]
        return jax.nn.softplus(jnp.where(batch["rated"], -scores, scores)).mean()
