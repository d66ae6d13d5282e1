"""The cipher in JAX."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from suite.task import INFER, TRAIN
from suite.trainers.jax_trainer import Tensors, Trainer
from tests.toys.cipher.spec import REMEMBERED, SEEN


class Impl(Trainer):
    def apply(self, weights: Tensors, batch: Tensors, stage: str) -> tuple[Tensors, Tensors]:
        x = weights["embedding/embeddings"][batch["source"]]
        seen = self.dropped(x + REMEMBERED * batch["memory"][: len(x), None], SEEN, batch)
        logits = seen @ weights["dense/kernel"] + weights["dense/bias"]
        memory = jnp.zeros_like(batch["memory"]).at[: len(x)].set(x.mean(1))
        if stage in (TRAIN, INFER):
            return {"logits": logits, "memory": memory}, {}
        return {"tokens": logits.argmax(-1) * (batch["source"] > 0), "memory": memory}, {}

    def loss(self, outputs: Tensors, batch: Tensors) -> jax.Array:
        scores = jax.nn.log_softmax(outputs["logits"])
        right = jnp.take_along_axis(scores, batch["target"][..., None], axis=-1)[..., 0]
        words = batch["target"] > 0
        return -(right * words).sum() / words.sum()
