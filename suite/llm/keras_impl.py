"""The language model in Keras."""

from __future__ import annotations

from functools import cached_property, partial
from math import pi, sqrt
from typing import Any

import keras
import numpy as np
from keras import ops

from suite import keras_backends
from suite.keras_backends import BACKEND
from suite.llm.keras_server import Slots, SlotServer
from suite.llm.keras_writer import Cache, LayerCache, Read, Writer
from suite.llm.parts import WRITING, InParts
from suite.llm.sizes import GPT2, LLAMA
from suite.llm.spec import GELU_CUBE, Llm
from suite.neural import narrows
from suite.spec import Arrays
from suite.task import TRAIN
from suite.trainers import filled
from suite.trainers.keras_layers import Weighted
from suite.trainers.keras_stages import Trainer
from suite.trainers.keras_trainer import Tensors


class Net:
    """The layers, with these weights; `dtype`: of softmax and logits, also where products are of 16 bits.

    All tokens of all samples lie in one row, [n * tokens, width], but where they attend to each other.
    """

    def __init__(self, weights: Tensors, spec: Llm, dtype: str, again: bool = False) -> None:
        """`again`: a layer is computed again for its gradients."""
        self.weights = {name: ops.convert_to_tensor(one) for name, one in weights.items()}
        self.spec, self.dtype, self.again = spec, dtype, again
        kind = self.weights["tokens/embeddings"].dtype
        self.waves = [ops.convert_to_tensor(of(spec.angles), kind) for of in (np.cos, np.sin)]

    def nll(self, x: Any) -> Any:
        """Windows [n, context + 1] -> of every token after the first -log p [n, context]."""
        wanted = x[:, 1:]
        logits = self.logits(self.states(x[:, :-1]))
        nll = ops.sparse_categorical_crossentropy(ops.reshape(wanted, (-1,)), logits, from_logits=True)
        return ops.reshape(nll, ops.shape(wanted))

    def states(self, tokens: Any, cache: Cache | None = None, first: Any = 0) -> Any:
        """[n, tokens] from position `first` on, or each at its own [n, 1] -> [n * tokens, width].

        Before the last product.
        """
        places = first + ops.arange(tokens.shape[1], dtype="int32")
        x = ops.take(self.weights["tokens/embeddings"], tokens, axis=0)
        if self.spec.form == GPT2:
            x = x + ops.take(self.weights["positions/embeddings"], places, axis=0)
        x = ops.reshape(x, (-1, self.spec.width))
        for number, layer in enumerate(self.spec.layer_names):
            x = self._layer(layer, x, places, cache[number] if cache else None)
        return self._normed("last_norm", self.weights, x)

    def logits(self, x: Any) -> Any:
        tied, weights = self.spec.tied, self.weights
        kernel = ops.transpose(weights["tokens/embeddings"]) if tied else weights["likely/kernel"]
        return ops.cast(x @ kernel, self.dtype)

    def _layer(self, layer: str, x: Any, places: Any, cache: LayerCache | None) -> Any:
        """By weights that are given to it: TensorFlow is else not told of them where it computes it again."""
        own = {name: one for name, one in self.weights.items() if name.startswith(layer)}
        own = {name.removeprefix(layer): one for name, one in own.items()}

        def block(x: Any, *arrays: Any) -> Any:
            return self._block(dict(zip(own, arrays, strict=True)), x, places, cache)

        return (keras.remat(block) if self.again else block)(x, *own.values())

    def _block(self, own: Tensors, x: Any, places: Any, cache: LayerCache | None) -> Any:
        x = x + self._attention(own, self._normed("attention_norm", own, x), places, cache)
        return x + self._inner(own, self._normed("inner_norm", own, x))

    def _attention(self, own: Tensors, x: Any, places: Any, cache: LayerCache | None) -> Any:
        """Of whole samples or prompts to themselves, or of one token to all that is in the cache."""
        tokens = places.shape[-1]
        queries, keys, values = (self._headed(own, name, x, tokens) for name in ("queries", "keys", "values"))
        if self.spec.form == LLAMA:
            waves = [ops.take(one, places, axis=0)[..., None, :, :] for one in self.waves]
            queries, keys = (_turned(one, *waves) for one in (queries, keys))
        if cache is not None:
            keys, values = cache.with_more(keys, values)
        found = ops.swapaxes(self._attended(queries, keys, values, places), 1, 2)
        return self._product(own, "attention", ops.reshape(found, (-1, self.spec.width)))

    def _attended(self, queries: Any, keys: Any, values: Any, places: Any) -> Any:
        """[n, heads, tokens, head_width]. Those queries which look at the same keys lie below each other."""
        shape, group = queries.shape, self.spec.heads // self.spec.kv_heads
        below = (-1, self.spec.kv_heads, group * places.shape[-1], self.spec.head_width)
        scores = ops.reshape(queries, below) @ ops.swapaxes(keys, -2, -1)
        scores = ops.cast(scores, self.dtype) / sqrt(self.spec.head_width)
        hidden = ops.arange(keys.shape[2], dtype="int32") > ops.tile(places, group)[..., None, :, None]
        never = ops.convert_to_tensor(float("-inf"), scores.dtype)
        attended = ops.cast(ops.softmax(ops.where(hidden, never, scores)), values.dtype)
        return ops.reshape(attended @ values, (-1, *shape[1:]))

    def _headed(self, own: Tensors, name: str, x: Any, tokens: int) -> Any:
        """[n * tokens, width] -> [n, heads, tokens, head_width]."""
        found = self._product(own, name, x)
        heads = found.shape[-1] // self.spec.head_width
        return ops.swapaxes(ops.reshape(found, (-1, tokens, heads, self.spec.head_width)), 1, 2)

    def _inner(self, own: Tensors, x: Any) -> Any:
        up = self._product(own, "up", x)
        if self.spec.form == LLAMA:
            return self._product(own, "down", ops.silu(self._product(own, "gate", x)) * up)
        return self._product(own, "down", _gelu(up))

    def _product(self, own: Tensors, name: str, x: Any) -> Any:
        found = x @ own[f"{name}/kernel"]
        return found + own[f"{name}/bias"] if f"{name}/bias" in own else found

    def _normed(self, name: str, own: Tensors, x: Any) -> Any:
        words = [own[f"{name}/{word}"] for word in ("gamma", "beta") if f"{name}/{word}" in own]
        norm = ops.layer_normalization if self.spec.form == GPT2 else ops.rms_normalization
        return norm(x, *words, epsilon=self.spec.norm_epsilon)


class Impl(InParts, Trainer):
    spec: Llm
    _kept: tuple[int, Tensors] | None = None  # the step, and the weights of then in 16 bits

    def default_mode(self, device: str) -> str:
        """On TensorFlow XLA, as in plain TensorFlow."""
        return "xla" if BACKEND == "tensorflow" else super().default_mode(device)

    def network(self) -> keras.Model:
        self._writer = Writer(partial(Net, spec=self.spec, dtype=self.dtype), self.mode)
        return Weighted(self.spec.shapes)

    def apply(self, net: Weighted, batch: Tensors, stage: str) -> Tensors:
        again = self.spec.checkpoint and stage == TRAIN
        return {"nll": Net(net.named(), self.spec, self.dtype, again).nll(batch["x"])}

    def loss(self, outputs: Tensors, batch: Tensors) -> Any:
        return ops.mean(outputs["nll"])

    def compile(self, data: Any, stage: str) -> None:
        """Of a generation both parts, or a server's, by a batch."""
        if stage in WRITING:
            self.infer(data, np.arange(self.spec.predict_batch_size), stage)
        else:
            super().compile(data, stage)

    def prefill(self, data: Any, rows: np.ndarray) -> Read:
        several = filled(rows, self.spec.predict_batch_size).astype(np.int32)
        token, cache = keras_backends.at_rest(self._writer.read(self._writing, data["x"], several))
        return Read(token, cache, len(rows))

    def decode(self, read: Read) -> Arrays:
        tokens = self._writer.written(self._writing, read.token, read.cache)
        return {"tokens": ops.convert_to_numpy(tokens)[: read.asked]}

    def server(self, data: Any) -> SlotServer:
        return SlotServer(self._slots, self._writing, data["x"])

    @cached_property
    def _slots(self) -> Slots:
        kind = self.spec.narrow_dtype(self.dtype)
        return Slots(partial(Net, spec=self.spec, dtype=self.dtype), self.spec, kind, self.mode)

    def rewind(self, memory: Any) -> None:
        super().rewind(memory)
        self._kept = None

    @property
    def _writing(self) -> Tensors:
        """The weights, narrowed once where the layers compute in 16 bits, and not for each token anew."""
        weights = {name: one.value for name, one in self.net.named().items()}
        narrow = self.spec.narrow_dtype(self.dtype)
        if narrow == self.dtype:
            return weights
        steps = int(self._trained.optimizer.iterations)
        if self._kept is None or self._kept[0] != steps:
            cast = {name: ops.cast(one, narrow) for name, one in weights.items() if narrows(name)}
            self._kept = steps, cast
        return weights | self._kept[1]


def _turned(x: Any, cosines: Any, sines: Any) -> Any:
    """By each token's position: [n, heads, tokens, head_width]."""
    one, other = ops.split(x, 2, -1)
    return ops.concatenate([one * cosines - other * sines, other * cosines + one * sines], -1)


def _gelu(x: Any) -> Any:
    """Its form with tanh; TensorFlow's own has its number of 32 bits."""
    if BACKEND != "tensorflow":
        return ops.gelu(x, approximate=True)
    return x * (1 + ops.tanh(sqrt(2 / pi) * (x + GELU_CUBE * x * x * x))) / 2
