"""Continuous batching in TensorFlow: slots of one cache, each at a place of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from suite.llm.tensorflow_writer import Writer, likeliest


class LayerSlots:
    """A layer's keys and values of all slots, in variables, which are written in place."""

    def __init__(self, shape: Sequence[int], kind: tf.DType) -> None:
        self.kept = tuple(tf.Variable(tf.zeros(shape, kind)) for _ in range(2))

    def with_more(self, keys: tf.Tensor, values: tf.Tensor, places: tf.Tensor) -> tuple[tf.Tensor, ...]:
        """Of each slot one more [slots, kv_heads, 1, head_width], at its own place [slots, 1]."""
        slots, heads, reach, _ = self.kept[0].shape
        rows, columns = tf.meshgrid(tf.range(slots), tf.range(heads), indexing="ij")
        where = tf.stack([rows, columns, tf.broadcast_to(places, rows.shape)], 2)
        for variable, new in zip(self.kept, (keys, values), strict=True):
            variable.scatter_nd_update(where, new[:, :, 0])
        return *(variable.read_value() for variable in self.kept), tf.range(reach)

    def put(self, slot: tf.Tensor, kept: Sequence[tf.Tensor]) -> None:
        """Of a batch of one [1, kv_heads, reach, head_width]."""
        for variable, one in zip(self.kept, kept, strict=True):
            variable.scatter_nd_update(slot[tf.newaxis, tf.newaxis], one)


class Slots:
    """What a writer answers prompts in: made once, for its functions are traced with these variables."""

    def __init__(self, writer: Writer, spec: Any, function: Callable[[Callable[..., Any]], Any]) -> None:
        shape = spec.predict_batch_size, spec.kv_heads, spec.reach, spec.head_width
        self._writer = writer
        self._cache = [LayerSlots(shape, writer.kind) for _ in spec.layer_names]
        self._tokens = tf.Variable(tf.zeros(spec.predict_batch_size, tf.int32))
        self.read, self.step = function(self._read), function(self._step)

    def _read(self, prompt: tf.Tensor, slot: tf.Tensor) -> None:
        """[1, prompt_tokens], of which the slot is then full as a whole."""
        token, kept = self._writer.begun(prompt)
        for layer, one in zip(self._cache, kept, strict=True):
            layer.put(slot, one)
        self._tokens.scatter_nd_update(slot[tf.newaxis, tf.newaxis], token)

    def _step(self, places: tf.Tensor) -> tf.Tensor:
        read = self._tokens.read_value()
        token = likeliest(self._writer.net(), read[:, tf.newaxis], places[:, tf.newaxis], self._cache)
        self._tokens.assign(token)
        return tf.stack([read, token])


class SlotServer:
    """As suite.llm.serving.SlotServer, of prompts [n, prompt_tokens]."""

    def __init__(self, slots: Slots, prompts: tf.Tensor) -> None:
        self._slots, self._prompts = slots, prompts

    def read(self, row: int, slot: int) -> None:
        self._slots.read(self._prompts[row : row + 1], tf.constant(slot))

    def step(self, places: np.ndarray) -> np.ndarray:
        return self._slots.step(tf.constant(places)).numpy()
