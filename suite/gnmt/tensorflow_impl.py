"""GNMT in TensorFlow."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from suite.gnmt.lengths import ByLength
from suite.gnmt.spec import GATES, PADDING, Gnmt
from suite.gnmt.tensorflow_search import translated
from suite.task import TRAIN
from suite.trainers import tensorflow_trainer
from suite.trainers.tensorflow_trainer import Tensors

State = tuple[tf.Tensor, tf.Tensor]  # h and c [n, hidden]


class Impl(ByLength, tensorflow_trainer.Trainer):
    spec: Gnmt

    default_modes = {"cpu": "xla", "cuda": "xla"}  # noqa: RUF012

    def apply(self, weights: Tensors, batch: Tensors, stage: str) -> tuple[Tensors, Tensors]:
        net = Net(weights, self.spec)
        if stage == TRAIN:
            return {"logits": net.logits(batch["source"], batch["given"])}, {}
        return translated(net, batch["source"], self.spec), {}

    def loss(self, outputs: Tensors, batch: Tensors) -> tf.Tensor:
        logits, target, smoothing = outputs["logits"], batch["target"], self.spec.smoothing
        right = tf.gather(logits, target, axis=2, batch_dims=2)
        expected = (1 - smoothing) * right + smoothing * tf.reduce_mean(logits, axis=2)
        words = tf.cast(target != PADDING, logits.dtype)
        return tf.reduce_sum((tf.reduce_logsumexp(logits, axis=2) - expected) * words) / tf.reduce_sum(words)


class Net:
    """The layers; a sequence lies [words, n, hidden], the steps of a loop one after another."""

    def __init__(self, weights: Tensors, spec: Gnmt) -> None:
        self.weights = {name: tf.convert_to_tensor(one) for name, one in weights.items()}
        self.spec = spec

    def logits(self, source: tf.Tensor, given: tf.Tensor) -> tf.Tensor:
        """Sentences [n, words] and the words before each -> logits [n, words, vocabulary]."""
        encoded = self.encode(source)
        x = self._lstm("decoder1", self._embedded(tf.transpose(given)))
        told, _ = self.attend(_turned(x), *self.memory(encoded, source))
        told = _turned(told)
        for number, name in enumerate(self.spec.decoder[1:]):
            seen = self._lstm(name, tf.concat([x, told], axis=2))
            x = seen + x if number else seen
        return self._dense(_turned(x))

    def encode(self, source: tf.Tensor) -> tf.Tensor:
        """[n, words] -> [words, n, hidden]. What stands behind a sentence's end is never looked at."""
        x, there = self._embedded(tf.transpose(source)), tf.transpose(source) != PADDING
        back = self._lstm("encoder1_backward", x, there)
        x = tf.concat([self._lstm("encoder1_forward", x), back], axis=2)
        for number, name in enumerate(self.spec.encoder):
            seen = self._lstm(name, x)
            x = seen + x if number else seen
        return x

    def memory(self, encoded: tf.Tensor, source: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        """What attention asks: the encoder's outputs, keys and the words that are there, of each sentence."""
        encoded = _turned(encoded)
        return encoded, encoded @ self.weights["attention_keys/kernel"], source != PADDING

    def attend(
        self, asking: tf.Tensor, encoded: tf.Tensor, keys: tf.Tensor, there: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """States [n, asked, hidden] -> what they are told, and the weights [n, asked, words]."""
        vector, scale, bias = (self.weights[f"attention/{name}"] for name in ("vector", "scale", "bias"))
        queries = asking @ self.weights["attention_query/kernel"]
        direction = vector * (scale / tf.norm(vector))
        fitting = tf.tanh(queries[:, :, tf.newaxis] + (keys + bias)[:, tf.newaxis])
        energy = tf.reduce_sum(fitting * direction, axis=3)
        nothing = tf.constant(energy.dtype.min, energy.dtype)
        weights = tf.nn.softmax(tf.where(there[:, tf.newaxis], energy, nothing), axis=2)
        return weights @ encoded, weights

    def step(
        self, words: tf.Tensor, states: list[State], memory: tuple[tf.Tensor, ...]
    ) -> tuple[tf.Tensor, tf.Tensor, list[State]]:
        """One word of each of several sentences [n, beam] -> logits [n, beam, vocabulary], weights, states."""
        first, *others = self.spec.decoder
        new = [self._cell(first, self._embedded(tf.reshape(words, [-1])), states[0])]
        x, each = new[0][0], [-1, self.spec.beam]
        told, weights = self.attend(tf.reshape(x, [*each, self.spec.hidden]), *memory)
        told = tf.reshape(told, tf.shape(x))
        for number, name in enumerate(others, 1):
            new.append(self._cell(name, tf.concat([x, told], axis=1), states[number]))
            x = new[number][0] + x if number > 1 else new[number][0]
        return tf.reshape(self._dense(x), [*each, self.spec.vocabulary]), weights, new

    def _embedded(self, words: tf.Tensor) -> tf.Tensor:
        return tf.gather(self.weights["embedding/embeddings"], words)

    def _dense(self, x: tf.Tensor) -> tf.Tensor:
        return tf.nn.bias_add(x @ self.weights["dense/kernel"], self.weights["dense/bias"])

    def _lstm(self, name: str, x: tf.Tensor, there: tf.Tensor | None = None) -> tf.Tensor:
        """[words, n, in] -> [words, n, hidden]; where `there` [words, n] is given, backwards from the sentence's end."""
        zeros = tf.zeros([tf.shape(x)[1], self.spec.hidden], x.dtype)
        backwards = there is not None
        given = (x, tf.cast(there, x.dtype)[..., tf.newaxis]) if backwards else x

        def step(state: State, taken: Any) -> State:
            h, c = self._cell(name, taken[0] if backwards else taken, state)
            return (h * taken[1], c * taken[1]) if backwards else (h, c)

        return tf.scan(step, given, (zeros, zeros), reverse=backwards)[0]

    def _cell(self, name: str, x: tf.Tensor, state: State) -> State:
        words = ("kernel", "recurrent_kernel", "bias")
        kernel, recurrent, bias = (self.weights[f"{name}/{word}"] for word in words)
        h, c = state
        gates = tf.nn.bias_add(tf.concat([x, h], axis=1) @ tf.concat([kernel, recurrent], axis=0), bias)
        i, f, g, o = tf.split(gates, GATES, axis=1)
        c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
        return tf.sigmoid(o) * tf.tanh(c), c


def _turned(x: tf.Tensor) -> tf.Tensor:
    """The first two axes."""
    return tf.transpose(x, [1, 0, 2])
