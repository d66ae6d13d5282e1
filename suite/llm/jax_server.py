"""Continuous batching in JAX: slots of one cache, each at a place of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from suite.llm.jax_writer import LayerCache, Written, begun, likeliest

Slots = Written  # a row of the cache, and of the last tokens, for each


def empty(spec: Any, kind: Any) -> Slots:
    shape = spec.predict_batch_size, spec.kv_heads, spec.reach, spec.head_width
    cache = [LayerCache(jnp.zeros(shape, kind), jnp.zeros(shape, kind)) for _ in spec.layer_names]
    return cache, jnp.zeros((spec.predict_batch_size, 1), jnp.int32)


def admitted(net: Any, slots: Slots, prompt: Array, slot: Array) -> Slots:
    """With a prompt [1, prompt_tokens] in one of them, whose row it takes as a whole."""
    return jax.tree.map(
        lambda of_all, of_one: lax.dynamic_update_slice_in_dim(of_all, of_one, slot, 0),
        slots,
        begun(net, prompt),
    )


def stepped(net: Any, slots: Slots, places: Array) -> tuple[Slots, Array]:
    """Each slot's token is read at its place [slots]; and both that one and the next [2, slots]."""

    def one_slot(cache: Any, token: Array, place: Array) -> tuple[Any, Array]:
        cache = jax.tree.map(lambda array: array[jnp.newaxis], cache)
        token = likeliest(net, token[jnp.newaxis], cache, place)
        return jax.tree.map(lambda array: array[0], (cache, token))

    following = jax.vmap(one_slot)(*slots, places)
    return following, jnp.concatenate([slots[1], following[1]], 1).T


class SlotServer:
    """As suite.llm.serving.SlotServer; the slots are given away at each call, so that they stay where they are."""

    def __init__(
        self, slots: Slots, data: Any, admit: Callable[..., Slots], step: Callable[..., tuple[Slots, Array]]
    ) -> None:
        self.slots, self._data, self._admit, self._step = slots, data, admit, step

    def read(self, row: int, slot: int) -> None:
        self.slots = self._admit(self.slots, self._data, np.int32(row), np.int32(slot))

    def step(self, places: np.ndarray) -> np.ndarray:
        self.slots, told = self._step(self.slots, places)
        return np.asarray(told)
