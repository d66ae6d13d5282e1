"""GNMT in Keras."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import keras
from keras import layers, ops

from suite.gnmt.keras_search import translated
from suite.gnmt.lengths import ByLength
from suite.gnmt.spec import PADDING, Gnmt
from suite.keras_backends import BACKEND
from suite.task import TRAIN
from suite.trainers import keras_stages
from suite.trainers.keras_layers import LSTM, Dense, Embedding
from suite.trainers.keras_trainer import Tensors

Dropped = Callable[[Any, str], Any]  # what a layer is given, and its name
State = list[Any]  # h and c [n, hidden]


class BahdanauEnergy(layers.Layer):
    """Normalised Bahdanau attention: how well queries and keys, both transformed, fit together."""

    def __init__(self, units: int, name: str) -> None:
        super().__init__(name=name)
        self.vector, self.bias = (self.add_weight(shape=(units,), name=word) for word in ("vector", "bias"))
        self.scale = self.add_weight(shape=(1,), name="scale")
        self.built = True

    def call(self, queries: Any, keys: Any) -> Any:
        """[n, asked, units] and [n, words, units] -> [n, asked, words]."""
        vector = ops.convert_to_tensor(self.vector)
        direction = vector * (self.scale / ops.sqrt(ops.sum(ops.square(vector))))
        fitting = ops.tanh(ops.expand_dims(queries, 2) + ops.expand_dims(keys + self.bias, 1))
        return ops.sum(fitting * direction, axis=-1)


class Net(keras.Model):
    """The layers; a sequence lies [n, words, hidden]."""

    def __init__(self, spec: Gnmt) -> None:
        super().__init__()
        self.spec, hidden = spec, spec.hidden
        self.embedding = Embedding(spec.vocabulary, hidden, name="embedding")
        self.lstms = {name: self._lstm(name) for name in spec.lstms}
        self.query = Dense(hidden, use_bias=False, name="attention_query")
        self.keys = Dense(hidden, use_bias=False, name="attention_keys")
        self.energy = BahdanauEnergy(hidden, name="attention")
        self.dense = Dense(spec.vocabulary, name="dense")
        self.embedding.build()
        for name, width in spec.lstms.items():
            self.lstms[name].build((None, None, width))
        for layer in (self.query, self.keys, self.dense):
            layer.build((None, None, hidden))
        self.built = True

    def _lstm(self, name: str) -> layers.Layer:
        backwards = name.endswith("backward")
        return LSTM(self.spec.hidden, return_sequences=True, go_backwards=backwards, name=name)

    def logits(self, source: Any, given: Any, dropped: Dropped) -> Any:
        """Sentences [n, words] and the words before each -> logits [n, words, vocabulary]."""
        encoded = self.encode(source, dropped)
        x = self.lstms["decoder1"](dropped(self.embedding(given), "decoder1"))
        told, _ = self.attend(x, *self.memory(encoded, source))
        for number, name in enumerate(self.spec.decoder[1:]):
            seen = self.lstms[name](dropped(ops.concatenate([x, told], axis=2), name))
            x = seen + x if number else seen
        return self.dense(x)

    def encode(self, source: Any, dropped: Dropped) -> Any:
        """[n, words] -> [n, words, hidden]. What stands behind a sentence's end is never looked at."""
        x, there = dropped(self.embedding(source), "encoder1"), source != PADDING
        # Masked, it begins at each sentence's end.
        back = ops.flip(self.lstms["encoder1_backward"](x, mask=there), axis=1)
        x = ops.concatenate([self.lstms["encoder1_forward"](x), back], axis=2)
        for number, name in enumerate(self.spec.encoder):
            seen = self.lstms[name](dropped(x, name))
            x = seen + x if number else seen
        return x

    def memory(self, encoded: Any, source: Any) -> tuple[Any, Any, Any]:
        """What attention asks: the encoder's outputs, keys and the words that are there, of each sentence."""
        return encoded, self.keys(encoded), source != PADDING

    def attend(self, asking: Any, encoded: Any, keys: Any, there: Any) -> tuple[Any, Any]:
        """States [n, asked, hidden] -> what they are told, and the weights [n, asked, words]."""
        energy = self.energy(self.query(asking), keys)
        nothing = ops.full_like(energy, -float("inf"))
        weights = ops.softmax(ops.where(ops.expand_dims(there, 1), energy, nothing), axis=2)
        return ops.matmul(weights, encoded), weights

    def step(self, words: Any, states: list[State], memory: tuple[Any, ...]) -> tuple[Any, Any, list[State]]:
        """One word of each of several sentences [n, beam] -> logits [n, beam, vocabulary], weights, states."""
        first, *others = (self.lstms[name].cell for name in self.spec.decoder)
        each, hidden = (-1, self.spec.beam), self.spec.hidden
        x, state = first(self.embedding(ops.reshape(words, (-1,))), states[0])
        told, weights = self.attend(ops.reshape(x, (*each, hidden)), *memory)
        told, new = ops.reshape(told, (-1, hidden)), [state]
        for number, cell in enumerate(others, 1):
            seen, state = cell(ops.concatenate([x, told], axis=1), states[number])
            x = seen + x if number > 1 else seen
            new.append(state)
        return ops.reshape(self.dense(x), (*each, self.spec.vocabulary)), weights, new


class Impl(ByLength, keras_stages.Trainer):
    spec: Gnmt

    def default_mode(self, device: str) -> str:
        """By XLA as plain TensorFlow; but not on a GPU, where Keras' LSTM is cuDNN's, which XLA does not compile."""
        return "xla" if (BACKEND, device) == ("tensorflow", "cpu") else super().default_mode(device)

    def network(self) -> keras.Model:
        return Net(self.spec)

    def apply(self, net: keras.Model, batch: Tensors, stage: str) -> Tensors:
        dropped = partial(self.dropped, batch=batch)
        if stage == TRAIN:
            return {"logits": net.logits(batch["source"], batch["given"], dropped)}
        encoded = net.encode(batch["source"], dropped)
        return translated(net, encoded, batch["source"], self.spec, self.dtype)

    def loss(self, outputs: Tensors, batch: Tensors) -> Any:
        logits, target, smoothing = outputs["logits"], batch["target"], self.spec.smoothing
        right = ops.take_along_axis(logits, ops.expand_dims(target, 2), axis=2)[..., 0]
        expected = (1 - smoothing) * right + smoothing * ops.mean(logits, axis=2)
        words = ops.cast(target != PADDING, logits.dtype)
        return ops.sum((ops.logsumexp(logits, axis=2) - expected) * words) / ops.sum(words)
