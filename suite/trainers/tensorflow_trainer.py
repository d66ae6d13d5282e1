"""Training and inference in TensorFlow: data resident on the device.

Modes: graph, an epoch is one graph; eager; xla, each step compiled. Graph is the default: on 2 CPU cores it trains
1 720 examples/s of mnist_cnn, against 1 320 eager and 900 with XLA. A model that is faster in another says so by its
`default_modes`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from suite.fingerprint import Epoch
from suite.neural import NeuralSpec, narrows, trains
from suite.spec import Arrays
from suite.trainers import chosen_mode
from suite.trainers.optimizers import SLOTS, update

Data = tuple[tf.Tensor, tf.Tensor]
Tensors = dict[str, Any]
MODES = ("graph", "eager", "xla")


class Trainer(ABC):
    default_modes: Mapping[str, str] = {"cpu": "graph", "cuda": "graph"}

    def __init__(self, spec: NeuralSpec, weights: Arrays, dtype: str, device: str) -> None:
        self.spec, self.dtype = spec, tf.as_dtype(dtype)
        self.narrow = tf.as_dtype(spec.narrow_dtype(dtype))
        self.mode = chosen_mode(spec, MODES, self.default_modes[device])
        tf.config.experimental.enable_tensor_float_32_execution(spec.precision == "tf32")
        self.weights = {name: tf.Variable(array, dtype=dtype) for name, array in weights.items()}
        self.trained = {name: value for name, value in self.weights.items() if trains(name)}
        self.slots = {name: self._slots(value) for name, value in self.trained.items()}
        self.power = tuple(tf.Variable(1.0, dtype=dtype) for _ in range(2))  # of beta1 and beta2
        xla = self.mode == "xla"
        self._step = self._function(self._take_step, jit_compile=xla or None)
        self._epoch = self._function(self._take_epoch)
        self._scores = self._function(self._predict_batch, reduce_retracing=True, jit_compile=xla or None)
        self._gradients = self._function(self._loss_and_gradients)

    @abstractmethod
    def forward(self, weights: Tensors, x: tf.Tensor, training: bool) -> tuple[tf.Tensor, Tensors]:
        """Features [n, ...] -> logits [n, classes], and in training the new values of statistics by name."""

    def place(self, x: np.ndarray, y: np.ndarray) -> Data:
        return tf.constant(x, tf.int32 if x.dtype.kind in "iu" else self.dtype), tf.constant(y, tf.int32)

    def compile(self, tested: Data, trained: Data | None = None) -> None:
        """Traces for any number of samples and steps; a step, which is undone, has the rest compiled, too."""
        if self.mode == "eager":
            return
        if self.mode == "xla":
            self.predict(tested, np.arange(len(tested[1])))
        else:
            self._scores.get_concrete_function(tested[0], tf.TensorSpec([None], tf.int64))
        if trained:
            self._epoch.get_concrete_function(*trained, tf.TensorSpec([None, self.spec.batch_size], tf.int64))
            self._step_and_undo(trained)

    def _step_and_undo(self, data: Data) -> None:
        slots = (one for several in self.slots.values() for one in several)
        changed = [*self.weights.values(), *slots, *self.power]
        kept = [tf.identity(one) for one in changed]
        self.train(data, np.arange(self.spec.batch_size)[np.newaxis])
        for variable, value in zip(changed, kept, strict=True):
            variable.assign(value)

    def train(self, data: Data, order: np.ndarray) -> Epoch:
        losses, used = self._epoch(*data, tf.constant(order))
        return Epoch(losses.numpy(), used.numpy())

    def predict(self, data: Data, rows: np.ndarray) -> np.ndarray:
        size = self.spec.predict_batch_size
        batches = (tf.constant(rows[start : start + size]) for start in range(0, len(rows), size))
        return tf.concat([self._scores(data[0], batch) for batch in batches], axis=0).numpy()

    def params(self) -> Arrays:
        return {name: value.numpy() for name, value in self.weights.items()}

    def step(self, x: np.ndarray, y: np.ndarray) -> float:
        return float(self._step(*self.place(x, y)))

    def grads(self, x: np.ndarray, y: np.ndarray) -> Arrays:
        _, gradients, _ = self._gradients(*self.place(x, y))
        return {name: value.numpy() for name, value in gradients.items()}

    def _function(self, body: Callable[..., Any], **options: Any) -> Any:
        return body if self.mode == "eager" else tf.function(body, **options)

    def _slots(self, weight: tf.Variable) -> tuple[tf.Variable, ...]:
        return tuple(tf.Variable(tf.zeros_like(weight)) for _ in SLOTS[self.spec.optimizer])

    def _take_epoch(self, features: tf.Tensor, labels: tf.Tensor, order: tf.Tensor) -> Data:
        steps = len(order)
        losses, used = tf.TensorArray(self.dtype, steps), tf.TensorArray(order.dtype, steps)
        for step in tf.range(steps):
            rows = order[step]
            loss = self._step(tf.gather(features, rows), tf.gather(labels, rows))
            losses, used = losses.write(step, loss), used.write(step, rows)
        return losses.stack(), used.stack()

    def _take_step(self, features: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        loss, gradients, statistics = self._loss_and_gradients(features, labels)
        if self.spec.optimizer == "adam":
            self.power[0].assign(self.power[0] * self.spec.beta1)
            self.power[1].assign(self.power[1] * self.spec.beta2)
        for name, gradient in gradients.items():
            less, slots = update(self.spec, tf.sqrt, self.slots[name], gradient, self.power)
            for slot, value in zip(self.slots[name], slots, strict=True):
                slot.assign(value)
            self.trained[name].assign_sub(less)
        for name, value in statistics.items():
            self.weights[name].assign(value)
        return loss

    def _loss_and_gradients(
        self, features: tf.Tensor, labels: tf.Tensor
    ) -> tuple[tf.Tensor, Tensors, Tensors]:
        with tf.GradientTape() as tape:
            scores, statistics = self._narrowed(features, training=True)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, scores)
            loss = tf.reduce_mean(losses)
            scaled = loss * self.spec.loss_scale if self.spec.loss_scale != 1.0 else loss
        gradients = tape.gradient(scaled, self.trained)
        return loss, {name: self._plain(value) for name, value in gradients.items()}, statistics

    def _plain(self, gradient: Any) -> tf.Tensor:
        """Without the loss's scale; that of an embedding dense, as every framework's."""
        dense = tf.convert_to_tensor(gradient)
        return dense if self.spec.loss_scale == 1.0 else dense / self.spec.loss_scale

    def _predict_batch(self, features: tf.Tensor, rows: tf.Tensor) -> tf.Tensor:
        return self._narrowed(tf.gather(features, rows), training=False)[0]

    def _narrowed(self, features: tf.Tensor, training: bool) -> tuple[tf.Tensor, Tensors]:
        """`forward` in the precision asked for; logits and statistics in that of the weights."""
        weights: Tensors = dict(self.weights)
        if self.narrow != self.dtype:
            weights |= {name: tf.cast(one, self.narrow) for name, one in weights.items() if narrows(name)}
            features = tf.cast(features, self.narrow) if features.dtype.is_floating else features
        scores, statistics = self.forward(weights, features, training)
        return tf.cast(scores, self.dtype), {
            name: tf.cast(one, self.dtype) for name, one in statistics.items()
        }
