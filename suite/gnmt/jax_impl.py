"""GNMT in JAX."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from suite.gnmt.jax_search import translated
from suite.gnmt.lengths import ByLength
from suite.gnmt.spec import GATES, PADDING, Gnmt
from suite.task import TRAIN
from suite.trainers import jax_trainer
from suite.trainers.jax_trainer import Tensors

Dropped = Callable[[Array, str], Array]  # what a layer is given, and its name
State = tuple[Array, Array]  # h and c [n, hidden]


class Impl(ByLength, jax_trainer.Trainer):
    spec: Gnmt

    def apply(self, weights: Tensors, batch: Tensors, stage: str) -> tuple[Tensors, Tensors]:
        net = Net(weights, self.spec, partial(self.dropped, batch=batch))
        if stage == TRAIN:
            return {"logits": net.logits(batch["source"], batch["given"])}, {}
        return translated(net, batch["source"], self.spec, self.dtype), {}

    def loss(self, outputs: Tensors, batch: Tensors) -> Array:
        logits, target, smoothing = outputs["logits"], batch["target"], self.spec.smoothing
        right = jnp.take_along_axis(logits, target[..., None], axis=2)[..., 0]
        expected = (1 - smoothing) * right + smoothing * logits.mean(axis=2)
        words = target != PADDING
        return ((jax.nn.logsumexp(logits, axis=2) - expected) * words).sum() / words.sum()


class Net:
    """The layers; a sequence lies [n, words, hidden]."""

    def __init__(self, weights: Tensors, spec: Gnmt, dropped: Dropped) -> None:
        self.weights, self.spec, self.dropped = weights, spec, dropped

    def logits(self, source: Array, given: Array) -> Array:
        """Sentences [n, words] and the words before each -> logits [n, words, vocabulary]."""
        encoded = self.encode(source)
        x = self._lstm("decoder1", self.dropped(self._embedded(given), "decoder1"))
        told, _ = self.attend(x, *self.memory(encoded, source))
        for number, name in enumerate(self.spec.decoder[1:]):
            seen = self._lstm(name, self.dropped(jnp.concatenate([x, told], axis=2), name))
            x = seen + x if number else seen
        return self._dense(x)

    def encode(self, source: Array) -> Array:
        """[n, words] -> [n, words, hidden]. What stands behind a sentence's end is never looked at."""
        x = self.dropped(self._embedded(source), "encoder1")
        back = self._lstm("encoder1_backward", x, source != PADDING)
        x = jnp.concatenate([self._lstm("encoder1_forward", x), back], axis=2)
        for number, name in enumerate(self.spec.encoder):
            seen = self._lstm(name, self.dropped(x, name))
            x = seen + x if number else seen
        return x

    def memory(self, encoded: Array, source: Array) -> tuple[Array, Array, Array]:
        """What attention asks: the encoder's outputs, keys and the words that are there, of each sentence."""
        return encoded, encoded @ self.weights["attention_keys/kernel"], source != PADDING

    def attend(self, asking: Array, encoded: Array, keys: Array, there: Array) -> tuple[Array, Array]:
        """States [n, asked, hidden] -> what they are told, and the weights [n, asked, words]."""
        vector, scale, bias = (self.weights[f"attention/{name}"] for name in ("vector", "scale", "bias"))
        queries = asking @ self.weights["attention_query/kernel"]
        direction = vector * (scale / jnp.linalg.norm(vector))
        energy = (jnp.tanh(queries[:, :, None] + (keys + bias)[:, None]) * direction).sum(axis=-1)
        weights = jax.nn.softmax(jnp.where(there[:, None], energy, -jnp.inf), axis=2)
        return weights @ encoded, weights

    def step(
        self, words: Array, states: list[State], memory: tuple[Array, ...]
    ) -> tuple[Array, Array, list[State]]:
        """One word of each of several sentences [n, beam] -> logits [n, beam, vocabulary], weights, states."""
        first, *others = self.spec.decoder
        new = [self._cell(first, self._embedded(words.ravel()), states[0])]
        x = new[0][0]
        told, weights = self.attend(x.reshape(*words.shape, -1), *memory)
        told = told.reshape(x.shape)
        for number, name in enumerate(others, 1):
            new.append(self._cell(name, jnp.concatenate([x, told], axis=1), states[number]))
            x = new[number][0] + x if number > 1 else new[number][0]
        return self._dense(x).reshape(*words.shape, -1), weights, new

    def _embedded(self, words: Array) -> Array:
        return self.weights["embedding/embeddings"][words]

    def _dense(self, x: Array) -> Array:
        return x @ self.weights["dense/kernel"] + self.weights["dense/bias"]

    def _lstm(self, name: str, x: Array, there: Array | None = None) -> Array:
        """[n, words, in] -> [n, words, hidden]; with `there` [n, words] backwards from each sentence's end.

        One product of input and state beside each other in each step of the loop: all inputs' products before the loop
        are 0.92 to 1.00 of its speed on a CPU.
        """
        zeros = jnp.zeros((len(x), self.spec.hidden), x.dtype)
        reached = None if there is None else there.T[..., None].astype(x.dtype)

        def step(state: State, taken: Any) -> tuple[State, Array]:
            h, c = self._cell(name, taken[0], state)
            state = (h, c) if there is None else (h * taken[1], c * taken[1])
            return state, state[0]

        taken = x.swapaxes(0, 1), reached
        return lax.scan(step, (zeros, zeros), taken, reverse=there is not None)[1].swapaxes(0, 1)

    def _cell(self, name: str, x: Array, state: State) -> State:
        kernel, recurrent, bias = (
            self.weights[f"{name}/{word}"] for word in ("kernel", "recurrent_kernel", "bias")
        )
        h, c = state
        gates = jnp.concatenate([x, h], axis=1) @ jnp.concatenate([kernel, recurrent]) + bias
        i, f, g, o = jnp.split(gates, GATES, axis=1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        return jax.nn.sigmoid(o) * jnp.tanh(c), c
