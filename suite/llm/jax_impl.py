"""The language model in JAX."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from suite.llm.jax_server import Slots, SlotServer, admitted, empty, stepped
from suite.llm.jax_writer import Cache, LayerCache, Read, Written, begun, went_on
from suite.llm.parts import WRITING, InParts
from suite.llm.sizes import GPT2, LLAMA
from suite.llm.spec import Llm
from suite.spec import Arrays
from suite.task import TRAIN
from suite.trainers import filled
from suite.trainers.jax_trainer import Tensors, Trainer


class Net:
    """The layers, with these weights; `dtype`: of softmax and logits, also where products are of 16 bits."""

    def __init__(self, weights: Tensors, spec: Llm, dtype: str) -> None:
        self.weights, self.spec, self.dtype = weights, spec, dtype

    def states(self, tokens: Array, again: bool = False, cache: Cache | None = None, first: Any = 0) -> Array:
        """[n, tokens] from position `first` on -> [n, tokens, width], before the last product.

        `again`: a layer is computed again for its gradients.
        """
        x = self.weights["tokens/embeddings"][tokens]
        if self.spec.form == GPT2:
            x = x + self._at(self.weights["positions/embeddings"], first, tokens.shape[1])
        for number, layer in enumerate(self.spec.layer_names):
            block = partial(self._block, layer, cache[number] if cache else None, first)
            x = jax.checkpoint(block)(x) if again else block(x)
        return self._normed("last_norm", x)

    def logits(self, x: Array) -> Array:
        kernel = self.weights["tokens/embeddings"].T if self.spec.tied else self.weights["likely/kernel"]
        return (x @ kernel).astype(self.dtype)

    def _block(self, layer: str, cache: LayerCache | None, first: Any, x: Array) -> Array:
        x = x + self._attention(layer, cache, first, self._normed(f"{layer}attention_norm", x))
        return x + self._inner(layer, self._normed(f"{layer}inner_norm", x))

    def _attention(self, layer: str, cache: LayerCache | None, first: Any, x: Array) -> Array:
        """Of whole samples or prompts to themselves, or of one token to all that is in the cache."""
        queries, keys, values = (
            self._dense(layer + name, x).reshape(*x.shape[:2], -1, self.spec.head_width).swapaxes(1, 2)
            for name in ("queries", "keys", "values")
        )
        if self.spec.form == LLAMA:
            queries, keys = (self._turned(one, first) for one in (queries, keys))
        if cache is not None:
            keys, values = cache.with_more(keys, values, first)
        n, kv_heads, _, head_width = keys.shape
        grouped = queries.reshape(n, kv_heads, -1, x.shape[1], head_width)
        scores = jnp.einsum("nkgid,nkjd->nkgij", grouped, keys).astype(self.dtype) / head_width**0.5
        rows, columns = (lax.iota(jnp.int32, size) for size in scores.shape[-2:])
        seen = columns <= first + rows[:, None]
        attended = jax.nn.softmax(jnp.where(seen, scores, -jnp.inf)).astype(x.dtype)
        found = jnp.einsum("nkgij,nkjd->nkgid", attended, values).reshape(queries.shape)
        return self._dense(f"{layer}attention", found.swapaxes(1, 2).reshape(*x.shape[:2], -1))

    def _turned(self, x: Array, first: Any) -> Array:
        """By each token's position: [n, heads, tokens, head_width]."""
        angles = (np.cos(self.spec.angles), np.sin(self.spec.angles))
        cosines, sines = (self._at(jnp.asarray(one, x.dtype), first, x.shape[2]) for one in angles)
        one, other = jnp.split(x, 2, -1)
        return jnp.concatenate([one * cosines - other * sines, other * cosines + one * sines], -1)

    def _at(self, of_positions: Array, first: Any, tokens: int) -> Array:
        return lax.dynamic_slice_in_dim(of_positions, first, tokens)

    def _inner(self, layer: str, x: Array) -> Array:
        up = self._dense(f"{layer}up", x)
        if self.spec.form == LLAMA:
            return self._dense(f"{layer}down", jax.nn.silu(self._dense(f"{layer}gate", x)) * up)
        return self._dense(f"{layer}down", jax.nn.gelu(up, approximate=True))

    def _dense(self, name: str, x: Array) -> Array:
        product, bias = x @ self.weights[f"{name}/kernel"], f"{name}/bias"
        return product + self.weights[bias] if bias in self.weights else product

    def _normed(self, name: str, x: Array) -> Array:
        gamma = self.weights[f"{name}/gamma"]
        wide = x.astype(gamma.dtype)
        if self.spec.form == GPT2:
            wide = wide - wide.mean(-1, keepdims=True)
        variance = jnp.square(wide).mean(-1, keepdims=True)
        normed = wide * lax.rsqrt(variance + self.spec.norm_epsilon) * gamma
        return (normed + self.weights[f"{name}/beta"] if self.spec.form == GPT2 else normed).astype(x.dtype)


class Impl(InParts, Trainer):
    spec: Llm
    _kept: tuple[Tensors, Tensors] | None = None  # the weights, and what is made of them for writing

    def apply(self, weights: Tensors, batch: Tensors, stage: str) -> tuple[Tensors, Tensors]:
        """Of all tokens in one row: a small model trains by it in 0.95 of the time of several rows on a CPU."""
        net, wanted = Net(weights, self.spec, self.dtype), batch["x"][:, 1:]
        states = net.states(batch["x"][:, :-1], self.spec.checkpoint and stage == TRAIN)
        logits = net.logits(states.reshape(-1, self.spec.width))
        right = jnp.take_along_axis(logits, wanted.reshape(-1, 1), axis=1)[:, 0]
        return {"nll": (jax.nn.logsumexp(logits, 1) - right).reshape(wanted.shape)}, {}

    def loss(self, outputs: Tensors, batch: Tensors) -> Array:
        return outputs["nll"].mean()

    def compile(self, data: Any, stage: str) -> None:
        """Of a generation both parts, or a server's, by a batch."""
        if stage in WRITING:
            self.infer(data, np.arange(self.spec.predict_batch_size), stage)
        else:
            super().compile(data, stage)

    def prefill(self, data: Any, rows: np.ndarray) -> Read:
        several = filled(rows, self.spec.predict_batch_size).astype(np.int32)
        return Read(jax.block_until_ready(self._read(self._writing, data, several)), len(rows))

    def decode(self, read: Read) -> Arrays:
        tokens, _ = self._written(self._writing, *read.written)
        return {"tokens": np.asarray(tokens)[: read.asked]}

    def server(self, data: Any) -> SlotServer:
        weights = self._writing
        slots = empty(self.spec, weights["tokens/embeddings"].dtype)
        return SlotServer(slots, data, partial(self._admitted, weights), partial(self._stepped, weights))

    @property
    def _writing(self) -> Tensors:
        """The weights, narrowed once where the layers compute in 16 bits, and not for each token anew."""
        if self._kept is None or self._kept[0] is not self.weights:
            self._kept = self.weights, self.in_narrow(self.weights)
        return self._kept[1]

    @partial(jax.jit, static_argnums=0)
    def _read(self, weights: Tensors, data: Tensors, rows: Array) -> Written:
        return begun(Net(weights, self.spec, self.dtype), data["x"][rows, : self.spec.prompt_tokens])

    @partial(jax.jit, static_argnums=0, donate_argnums=2)
    def _written(self, weights: Tensors, cache: Cache, token: Array) -> tuple[Array, Cache]:
        """The cache is told, too, so that it lies where the one that is given lay."""
        return went_on(Net(weights, self.spec, self.dtype), cache, token)

    @partial(jax.jit, static_argnums=0, donate_argnums=2)
    def _admitted(self, weights: Tensors, slots: Slots, data: Tensors, row: Array, slot: Array) -> Slots:
        prompt = lax.dynamic_slice_in_dim(data["x"], row, 1)[:, : self.spec.prompt_tokens]
        return admitted(Net(weights, self.spec, self.dtype), slots, prompt, slot)

    @partial(jax.jit, static_argnums=0, donate_argnums=2)
    def _stepped(self, weights: Tensors, slots: Slots, places: Array) -> tuple[Slots, Array]:
        return stepped(Net(weights, self.spec, self.dtype), slots, places)
