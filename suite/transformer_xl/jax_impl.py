"""Transformer-XL in JAX."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from suite.trainers.jax_trainer import Tensors, Trainer
from suite.transformer_xl.spec import NORM_EPSILON, TransformerXl


class Impl(Trainer):
    spec: TransformerXl

    def apply(self, weights: Tensors, batch: Tensors, stage: str) -> tuple[Tensors, Tensors]:
        read, wanted = batch["x"][:, :-1], batch["x"][:, 1:]
        kept = jnp.where(batch["begins"][:, None, None, None], 0, batch["memory"][: len(read)])
        state = self.dropped(self._embedded(weights, read), "words", batch)
        waves = self.dropped(jnp.asarray(self.spec.waves, state.dtype)[None], "positions", batch)[0]
        entered = []
        for number in range(self.spec.layers):
            layer, seen = f"layer{number}_", jnp.concatenate([kept[:, number], state], 1)
            entered.append(seen[:, -self.spec.memory :])
            found = self._attention(weights, layer, state, seen, waves)
            state = _normed(
                weights, f"{layer}attention_norm", state, self.dropped(found, f"{layer}attention", batch)
            )
            found = self._feed_forward(weights, layer, state, batch)
            state = _normed(weights, f"{layer}outer_norm", state, self.dropped(found, f"{layer}outer", batch))
        state = self.dropped(state, "last", batch).reshape(-1, self.spec.width)
        nll = self._nll(weights, state, wanted.ravel(), len(batch["memory"])).reshape(wanted.shape)
        memory = lax.stop_gradient(jnp.stack(entered, 1))
        return {"nll": nll, "memory": batch["memory"].at[: len(read)].set(memory)}, {}

    def loss(self, outputs: Tensors, batch: Tensors) -> jax.Array:
        return outputs["nll"].mean()

    def _embedded(self, weights: Tensors, words: jax.Array) -> jax.Array:
        """Each cluster's vectors, widened, where a word is of the cluster."""
        found = 0
        for number, (first, end) in enumerate(self.spec.bounds):
            vectors = weights[f"words{number}/embeddings"][jnp.clip(words - first, 0, end - first - 1)]
            if f"wide{number}/kernel" in weights:
                vectors = vectors @ weights[f"wide{number}/kernel"]
            found += jnp.where(((words >= first) & (words < end))[..., None], vectors, 0)
        return found * self.spec.width**0.5

    def _attention(
        self, weights: Tensors, layer: str, state: jax.Array, seen: jax.Array, waves: jax.Array
    ) -> jax.Array:
        heads = self.spec.heads, self.spec.head_width
        queries = (state @ weights[f"{layer}queries/kernel"]).reshape(*state.shape[:2], *heads)
        keys, values = jnp.split(seen @ weights[f"{layer}memory/kernel"], 2, axis=-1)
        keys, values = (one.reshape(*seen.shape[:2], *heads) for one in (keys, values))
        positions = (waves @ weights[f"{layer}positions/kernel"]).reshape(len(waves), *heads)
        by_content = jnp.einsum("nihd,njhd->nhij", queries + weights["content/bias"], keys)
        by_position = jnp.einsum("nihd,jhd->nhij", queries + weights["position/bias"], positions)
        scores = (by_content + _shifted(by_position)) / self.spec.head_width**0.5
        attended = jax.nn.softmax(jnp.where(self.spec.hidden, -jnp.inf, scores))
        found = jnp.einsum("nhij,njhd->nihd", attended, values)
        return found.reshape(*state.shape[:2], -1) @ weights[f"{layer}attention/kernel"]

    def _feed_forward(self, weights: Tensors, layer: str, state: jax.Array, batch: Tensors) -> jax.Array:
        inner = jax.nn.relu(state @ weights[f"{layer}inner/kernel"] + weights[f"{layer}inner/bias"])
        inner = self.dropped(inner, f"{layer}inner", batch)
        return inner @ weights[f"{layer}outer/kernel"] + weights[f"{layer}outer/bias"]

    def _nll(self, weights: Tensors, state: jax.Array, words: jax.Array, batch: int) -> jax.Array:
        """Of the head for all; of a cluster for as many places as there is room for: shapes are the same always."""
        shortlist = self.spec.bounds[0][1]
        cluster = sum(
            ((words >= first).astype(words.dtype) for first, _ in self.spec.bounds[1:]), jnp.zeros_like(words)
        )
        found = _cross_entropy(
            self._logits(weights, state, 0), jnp.where(cluster > 0, shortlist + cluster - 1, words)
        )
        for number, room in enumerate(self.spec.rooms, 1):
            first, end = self.spec.bounds[number]
            places = min(len(words), room * batch)
            places = jnp.sort(jnp.where(cluster == number, jnp.arange(len(words)), len(words)))[:places]
            wanted = jnp.clip(words[places] - first, 0, end - first - 1)
            more = _cross_entropy(self._logits(weights, state[places], number), wanted)
            found = found.at[places].add(more, mode="drop")  # of places behind the last word
        return found

    def _logits(self, weights: Tensors, state: jax.Array, number: int) -> jax.Array:
        """Of the words of a cluster, whose vectors are those that words are read by; the head's of clusters, too."""
        if f"wide{number}/kernel" in weights:
            state = state @ weights[f"wide{number}/kernel"].T
        kernel, bias = weights[f"words{number}/embeddings"].T, weights[f"likely{number}/bias"]
        if number == 0 and self.spec.rooms:
            kernel = jnp.concatenate([kernel, weights["clusters/kernel"]], 1)
            bias = jnp.concatenate([bias, weights["clusters/bias"]])
        return (state @ kernel + bias).astype(self.dtype)


def _shifted(scores: jax.Array) -> jax.Array:
    """From columns that tell how far back, to columns that tell which word: each row one further than that below."""
    n, heads, rows, columns = scores.shape
    padded = jnp.pad(scores, ((0, 0), (0, 0), (0, 0), (1, 0)))
    return padded.reshape(n, heads, columns + 1, rows)[:, :, 1:].reshape(scores.shape)


def _normed(weights: Tensors, name: str, state: jax.Array, found: jax.Array) -> jax.Array:
    """The sum of both, of mean 0 and variance 1, scaled and shifted."""
    gamma, beta = weights[f"{name}/gamma"], weights[f"{name}/beta"]
    wide = (state + found).astype(gamma.dtype)
    apart = wide - wide.mean(-1, keepdims=True)
    normed = apart * lax.rsqrt(jnp.square(apart).mean(-1, keepdims=True) + NORM_EPSILON)
    return (normed * gamma + beta).astype(state.dtype)


def _cross_entropy(logits: jax.Array, wanted: jax.Array) -> jax.Array:
    return jax.nn.logsumexp(logits, -1) - jnp.take_along_axis(logits, wanted[:, None], 1)[:, 0]
