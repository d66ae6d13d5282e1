"""Continuous batching in Keras: slots of one cache, each at a place of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from keras import ops

from suite.keras_backends import BACKEND, InPlace
from suite.llm.keras_writer import Kept, begun, likeliest

InSlots = tuple[list[Kept], Any]  # the cache [slots, ...] of each layer, and the last tokens [slots]


class LayerSlots:
    """A layer's keys and values of all slots, into each of which one token is written at a place of its own."""

    def __init__(self, kept: Kept, places: Any) -> None:
        self.kept, self.places = kept, places

    def with_more(self, keys: Any, values: Any) -> Kept:
        both = zip(self.kept, (keys, values), strict=True)
        self.kept = tuple(_put(old, new, self.places) for old, new in both)
        return self.kept


class Slots:
    """Made once, for functions are traced with its arrays, which they change."""

    def __init__(self, net: Callable[[Mapping[str, Any]], Any], spec: Any, kind: str, mode: str) -> None:
        shape = spec.predict_batch_size, spec.kv_heads, spec.reach, spec.head_width
        cache = [(ops.zeros(shape, kind), ops.zeros(shape, kind)) for _ in spec.layer_names]
        held = InPlace((cache, ops.zeros(spec.predict_batch_size, "int32")), mode)
        self._net, self.read, self.step = net, held.changing(self._read), held.changing(self._step)

    def _read(
        self, slots: InSlots, weights: Mapping[str, Any], x: Any, row: Any, slot: Any
    ) -> tuple[InSlots, Any]:
        """The prompt at the beginning of this row [1] of windows, of which the slot is then full as a whole."""
        net, (cache, tokens) = self._net(weights), slots
        token, kept = begun(net, ops.take(x, row, axis=0)[:, : net.spec.prompt_tokens])
        cache = [
            tuple(_in_slot(old, new, slot) for old, new in zip(*pair, strict=True))
            for pair in zip(cache, kept, strict=True)
        ]
        return (cache, _in_slot(tokens, ops.cast(token, "int32"), slot)), ()

    def _step(self, slots: InSlots, weights: Mapping[str, Any], places: Any) -> tuple[InSlots, Any]:
        net, (cache, read) = self._net(weights), slots
        places = ops.convert_to_tensor(places)[:, None]
        layers = [LayerSlots(kept, places) for kept in cache]
        token = likeliest(net, read[:, None], layers, places)
        return ([one.kept for one in layers], token), ops.stack([read, token])


class SlotServer:
    """As suite.llm.serving.SlotServer, of windows x [n, context + 1]."""

    def __init__(self, slots: Slots, weights: Mapping[str, Any], x: Any) -> None:
        self._slots, self._weights, self._x = slots, weights, x

    def read(self, row: int, slot: int) -> None:
        self._slots.read(self._weights, self._x, np.array([row], np.int32), np.array(slot, np.int32))

    def step(self, places: np.ndarray) -> np.ndarray:
        return ops.convert_to_numpy(self._slots.step(self._weights, places))


def _put(old: Any, new: Any, places: Any) -> Any:
    """New ones [slots, heads, 1, width] at each slot's place [slots, 1]."""
    if BACKEND == "torch":
        where = places[:, None, :, None].expand_as(new)
        return old.scatter_(2, where.long(), new)
    slots, heads, _, width = old.shape
    rows, columns = (ops.arange(size, dtype="int32") for size in (slots, heads))
    where = ops.stack([ops.broadcast_to(one, (slots, heads)) for one in (rows[:, None], columns, places)])
    where = ops.reshape(ops.transpose(where), (-1, 3))
    new = ops.reshape(ops.swapaxes(new[:, :, 0], 0, 1), (-1, width))
    return ops.scatter_update(old, where, new)


def _in_slot(old: Any, new: Any, slot: Any) -> Any:
    """[1, ...] in place of the row of this slot."""
    if BACKEND == "torch":
        old[int(slot)] = new[0]
        return old
    return ops.slice_update(old, (slot, *(0 * slot for _ in old.shape[1:])), new)
