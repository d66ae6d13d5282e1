"""The language model in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from math import pi, sqrt
from typing import Any

import numpy as np
import tensorflow as tf

from suite.llm.parts import SERVE, WRITING, InParts
from suite.llm.sizes import GPT2, LLAMA
from suite.llm.spec import GELU_CUBE, Llm
from suite.llm.tensorflow_server import Slots, SlotServer
from suite.llm.tensorflow_writer import Cache, LayerCache, Read, Writer
from suite.spec import Arrays
from suite.task import TRAIN
from suite.trainers import filled
from suite.trainers.tensorflow_layers import swapped
from suite.trainers.tensorflow_trainer import Tensors, Trainer


class Net:
    """The layers, with these weights; `dtype`: of softmax and logits, also where products are of 16 bits."""

    def __init__(self, weights: Tensors, spec: Llm, dtype: tf.DType, again: bool = False) -> None:
        """`again`: a layer is computed again for its gradients."""
        self.weights = {name: tf.convert_to_tensor(one) for name, one in weights.items()}
        self.spec, self.dtype, self.again = spec, dtype, again

    def nll(self, x: tf.Tensor) -> tf.Tensor:
        """Windows [n, context + 1] -> of every token after the first -log p [n, context]."""
        read, wanted = x[:, :-1], x[:, 1:]
        logits = self.logits(self.states(read, tf.range(read.shape[1])))
        nll = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.reshape(wanted, [-1]), logits)
        return tf.reshape(nll, tf.shape(wanted))

    def states(self, tokens: tf.Tensor, places: tf.Tensor, cache: Cache | None = None) -> tf.Tensor:
        """[n, tokens] at these places [tokens], or each row's [n, tokens] -> [n, tokens, width].

        Before the last product.
        """
        x = tf.gather(self.weights["tokens/embeddings"], tokens)
        if self.spec.form == GPT2:
            x += tf.gather(self.weights["positions/embeddings"], places)
        for number, layer in enumerate(self.spec.layer_names):
            x = self._layer(layer, x, places, cache[number] if cache else None)
        return self._normed("last_norm", self.weights, x)

    def logits(self, x: tf.Tensor) -> tf.Tensor:
        """[n, tokens, width] -> [n * tokens, vocabulary]: the gradient of more dimensions is slow."""
        kernel = self.weights["tokens/embeddings" if self.spec.tied else "likely/kernel"]
        found = tf.matmul(tf.reshape(x, [-1, self.spec.width]), kernel, transpose_b=self.spec.tied)
        return tf.cast(found, self.dtype)

    def _layer(self, layer: str, x: tf.Tensor, places: tf.Tensor, cache: LayerCache | None) -> tf.Tensor:
        """By weights that are given to it: what they are changed by is else not told of what is computed again."""
        own = {name: one for name, one in self.weights.items() if name.startswith(layer)}
        own = {name.removeprefix(layer): one for name, one in own.items()}

        def block(x: tf.Tensor, *arrays: tf.Tensor) -> tf.Tensor:
            return self._block(dict(zip(own, arrays, strict=True)), x, places, cache)

        return (tf.recompute_grad(block) if self.again else block)(x, *own.values())

    def _block(self, own: Tensors, x: tf.Tensor, places: tf.Tensor, cache: LayerCache | None) -> tf.Tensor:
        x += self._attention(own, self._normed("attention_norm", own, x), places, cache)
        return x + self._inner(own, self._normed("inner_norm", own, x))

    def _attention(
        self, own: Tensors, x: tf.Tensor, places: tf.Tensor, cache: LayerCache | None
    ) -> tf.Tensor:
        """Of a prompt, or of one token to all that is in the cache."""
        queries, keys, values = (self._headed(own, name, x) for name in ("queries", "keys", "values"))
        if self.spec.form == LLAMA:
            queries, keys = (self._turned(one, places) for one in (queries, keys))
        seen = places
        if cache is not None:
            keys, values, seen = cache.with_more(keys, values, places)
        hidden = seen > tf.expand_dims(places, -1)[..., tf.newaxis, :, :]
        found = self._attended(queries, keys, values, hidden)
        return self._product(own, "attention", tf.reshape(found, [-1, x.shape[1], self.spec.width]))

    def _attended(
        self, queries: tf.Tensor, keys: tf.Tensor, values: tf.Tensor, hidden: tf.Tensor
    ) -> tf.Tensor:
        """[n, tokens, heads, head_width]. Those queries which look at the same keys lie below each other."""
        tokens, together, width = queries.shape[2], self.spec.kv_heads, self.spec.head_width
        queries = tf.reshape(queries, [-1, together, self._group * tokens, width])
        scores = tf.cast(tf.matmul(queries, keys, transpose_b=True), self.dtype) / width**0.5
        scores = tf.reshape(scores, [-1, self.spec.heads, tokens, keys.shape[2]])
        never = tf.constant(float("-inf"), scores.dtype)
        attended = tf.cast(tf.nn.softmax(tf.where(hidden, never, scores)), values.dtype)
        attended = tf.reshape(attended, [-1, together, self._group * tokens, keys.shape[2]])
        found = tf.reshape(tf.matmul(attended, values), [-1, self.spec.heads, tokens, width])
        return swapped(found)

    @property
    def _group(self) -> int:
        return self.spec.heads // self.spec.kv_heads

    def _headed(self, own: Tensors, name: str, x: tf.Tensor) -> tf.Tensor:
        """[n, tokens, width] -> [n, heads, tokens, head_width]."""
        found = self._product(own, name, x)
        heads = found.shape[-1] // self.spec.head_width
        return swapped(tf.reshape(found, [-1, x.shape[1], heads, self.spec.head_width]))

    def _turned(self, x: tf.Tensor, places: tf.Tensor) -> tf.Tensor:
        """By each token's position: [n, heads, tokens, head_width]."""
        waves = (tf.constant(of(self.spec.angles), x.dtype) for of in (np.cos, np.sin))
        cosines, sines = (tf.gather(one, places)[..., tf.newaxis, :, :] for one in waves)
        one, other = tf.split(x, 2, -1)
        return tf.concat([one * cosines - other * sines, other * cosines + one * sines], -1)

    def _inner(self, own: Tensors, x: tf.Tensor) -> tf.Tensor:
        up = self._product(own, "up", x)
        if self.spec.form == LLAMA:
            return self._product(own, "down", tf.nn.silu(self._product(own, "gate", x)) * up)
        # TensorFlow's own has its number of 32 bits.
        inner = sqrt(2 / pi) * (up + GELU_CUBE * up * up * up)
        return self._product(own, "down", up * (1 + tf.tanh(inner)) / 2)

    def _product(self, own: Tensors, name: str, x: tf.Tensor) -> tf.Tensor:
        found = tf.tensordot(x, own[f"{name}/kernel"], 1)
        return found + own[f"{name}/bias"] if f"{name}/bias" in own else found

    def _normed(self, name: str, own: Tensors, x: tf.Tensor) -> tf.Tensor:
        gamma = own[f"{name}/gamma"]
        wide = tf.cast(x, gamma.dtype)
        if self.spec.form == GPT2:
            wide -= tf.reduce_mean(wide, -1, keepdims=True)
        spread = tf.reduce_mean(tf.square(wide), -1, keepdims=True)
        normed = wide * tf.math.rsqrt(spread + self.spec.norm_epsilon) * gamma
        return tf.cast(normed + own[f"{name}/beta"] if f"{name}/beta" in own else normed, x.dtype)


class Impl(InParts, Trainer):
    spec: Llm
    _narrowed_after = -1  # steps

    default_modes = {"cpu": "xla", "cuda": "xla"}  # noqa: RUF012

    def apply(self, weights: Tensors, batch: Tensors, stage: str) -> tuple[Tensors, Tensors]:
        again = self.spec.checkpoint and stage == TRAIN
        return {"nll": Net(weights, self.spec, self.dtype, again).nll(batch["x"])}, {}

    def loss(self, outputs: Tensors, batch: Tensors) -> tf.Tensor:
        return tf.reduce_mean(outputs["nll"])

    def compile(self, data: Any, stage: str) -> None:
        """Of a generation both parts, or a server's, by a batch; eager mode narrows the weights, and has the slots."""
        if stage not in WRITING:
            super().compile(data, stage)
        elif self.mode == "eager" and self.device == "cpu":  # a GPU loads kernels at the first call
            assert self._writing and (stage != SERVE or self._server_slots)
        else:
            self.infer(data, np.arange(self.spec.predict_batch_size), stage)

    def prefill(self, data: Any, rows: np.ndarray) -> Read:
        several = filled(rows, self.spec.predict_batch_size)
        prompts = tf.gather(data["x"], several)[:, : self.spec.prompt_tokens]
        token, cache = self._writing.read(prompts)
        tf.test.experimental.sync_devices()
        return Read(token, cache, len(rows))

    def decode(self, read: Read) -> Arrays:
        tokens = self._writing.written(read.token, read.cache)
        return {"tokens": tokens.numpy()[: read.asked]}

    def rewind(self, memory: Any) -> None:
        super().rewind(memory)
        self._narrowed_after = -1

    @property
    def _writing(self) -> Writer:
        if self._narrowed_after != self.steps:
            self._writer.narrow()
            self._narrowed_after = self.steps
        return self._writer

    def server(self, data: Any) -> SlotServer:
        assert self._writing  # narrowed
        return SlotServer(self._server_slots, data["x"][:, : self.spec.prompt_tokens])

    @cached_property
    def _server_slots(self) -> Slots:
        return Slots(self._writer, self.spec, self._compiled)

    @cached_property
    def _writer(self) -> Writer:
        net = partial(Net, spec=self.spec, dtype=self.dtype)
        return Writer(net, self.weights, self.narrow, self._compiled)

    def _compiled(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return self._function(function, jit_compile=self.mode == "xla" or None)
