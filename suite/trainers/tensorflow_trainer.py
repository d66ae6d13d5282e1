"""Training and inference in TensorFlow: data resident on the device.

Modes: graph, an epoch is one graph; eager; xla, each step compiled. Graph is the default: on 2 CPU cores it trains
1 720 examples/s of mnist_cnn, against 1 320 eager and 900 with XLA. A model that is faster in another says so by its
`default_modes`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import tensorflow as tf

from suite.dropout import CHANCE, mask_of, seed_of
from suite.fingerprint import Epoch
from suite.neural import NeuralSpec, narrows, trains
from suite.spec import Arrays, count
from suite.task import INFER, SCORES, TRAIN
from suite.trainers import ahead, chosen_mode, filled, kind_of, made
from suite.trainers.optimizers import SLOTS, update

Tensors = dict[str, Any]
MODES = ("graph", "eager", "xla")
# For dropout: 2.1 million numbers take 10 ms on 2 CPU cores; under XLA the same Philox 630 ms, Threefry 7 ms.
GENERATORS = {"graph": "auto_select", "eager": "auto_select", "xla": "threefry"}


class Trainer(ABC):
    default_modes: Mapping[str, str] = {"cpu": "graph", "cuda": "graph"}

    def __init__(self, spec: NeuralSpec, weights: Arrays, dtype: str, device: str) -> None:
        self.spec, self.dtype = spec, tf.as_dtype(dtype)
        self.narrow = tf.as_dtype(spec.narrow_dtype(dtype))
        self.device = device
        self.mode = chosen_mode(spec, MODES, self.default_modes[device])
        tf.config.experimental.enable_tensor_float_32_execution(spec.precision == "tf32")
        self.weights = {name: tf.Variable(array, dtype=dtype) for name, array in weights.items()}
        self.trained = {name: value for name, value in self.weights.items() if trains(name)}
        self.rules = {name: spec.of_weight(name) for name in self.trained}
        self.power = tuple(tf.Variable(1.0, dtype=dtype) for _ in range(2))  # of beta1 and beta2
        carried = self._nothing(spec.batch_size)
        self.carried = {name: tf.Variable(value) for name, value in carried.items()}
        self.steps, self.sites = 0, spec.sites()
        self.chance = tf.Variable([seed_of(weights) if self.sites else 0, 0], dtype=tf.int64)
        xla = self.mode == "xla"
        self._step = self._function(self._take_step, jit_compile=xla or None)
        self._epoch = self._function(self._take_epoch)
        self._answers = self._function(self._answer_batch, reduce_retracing=True, jit_compile=xla or None)
        self._gradients = self._function(self._loss_and_gradients)

    @abstractmethod
    def apply(self, weights: Tensors, batch: Tensors, stage: str) -> tuple[Tensors, Tensors]:
        """Named outputs for a batch, in stage train what `loss` takes, and the new values of statistics by name."""

    @abstractmethod
    def loss(self, outputs: Tensors, batch: Tensors) -> tf.Tensor:
        """Of a batch, a scalar."""

    def dropped(self, x: tf.Tensor, site: str, batch: Tensors) -> tf.Tensor:
        """In training without the share that the site leaves out (suite.dropout), if the spec has it."""
        if site not in self.sites:
            return x
        rate, mask = self.sites[site].rate, batch.get(mask_of(site))
        if mask is not None:
            return tf.where(mask, x / (1 - rate), tf.zeros_like(x))
        if CHANCE not in batch or not rate:
            return x
        own = batch[CHANCE] + [list(self.sites).index(site), 0]
        return tf.nn.experimental.stateless_dropout(x, rate, own, rng_alg=GENERATORS[self.mode])

    def place(self, data: Arrays) -> Any:
        return data if self.spec.premade else self._moved(data)

    def compile(self, data: Any, stage: str) -> None:
        """Traces for any number of samples and steps; a step, which is undone, or answers have the rest compiled.

        In eager mode the optimiser's memory is made, and no more.
        """
        if self.mode == "eager":
            assert stage != TRAIN or self.slots
            return
        if stage == TRAIN:
            if not self.spec.premade:
                order = tf.TensorSpec([None, self.spec.batch_size], tf.int64)
                rates = None if self._rates(1) is None else tf.TensorSpec([None], self.dtype)
                self._epoch.get_concrete_function(data, order, rates)
            self._step_and_undo(data)
            return
        size = self.spec.predict_batch_size
        if self.mode == "graph" and not self.spec.premade:
            self._answers.get_concrete_function(
                stage, data, tf.TensorSpec([None], tf.int64), self._nothing(size)
            )
        self.infer(data, np.arange(ahead(count(data), size)), stage)

    def _step_and_undo(self, data: Any) -> None:
        memory = self.memory()
        self.train(data, np.arange(self.spec.batch_size)[np.newaxis])
        self.rewind(memory)

    def memory(self) -> Any:
        return [tf.identity(one) for one in self._changed()], self.steps

    def rewind(self, memory: Any) -> None:
        kept, self.steps = memory
        for variable, value in zip(self._changed(), kept, strict=True):
            variable.assign(value)

    def _changed(self) -> list[tf.Variable]:
        """By a step."""
        slots = (one for several in self.slots.values() for one in several)
        return [*self.weights.values(), *slots, *self.power, *self.carried.values(), self.chance]

    def train(self, data: Any, order: np.ndarray) -> Epoch:
        rates = self._rates(len(order))
        self.steps += len(order)
        if self.spec.premade:
            losses, used = [], []
            for number, (rows, batch) in enumerate(zip(order, self._made(data, order), strict=True)):
                losses.append(self._step(batch, None if rates is None else rates[number]))
                used.append(rows)
            return Epoch(tf.stack(losses).numpy(), np.stack(used))
        losses, used = self._epoch(data, tf.constant(order), rates)
        return Epoch(losses.numpy(), used.numpy())

    def infer(self, data: Any, rows: np.ndarray, stage: str = INFER) -> Arrays:
        size = self.spec.predict_batch_size
        carried, outputs = self._nothing(size), []
        batches = [rows[start : start + size] for start in range(0, len(rows), size)]
        if self.mode == "xla":
            batches[-1] = filled(batches[-1], size)
        for asked in self._asked(data, batches):
            found, carried = self._answers(stage, *asked, carried)
            outputs.append(found)
        whole = {name: tf.concat([one[name] for one in outputs], axis=0) for name in outputs[0]}
        return {name: one[: len(rows)].numpy() for name, one in whole.items()}

    def _asked(self, data: Any, batches: Sequence[np.ndarray]) -> Iterable[tuple[Tensors, tf.Tensor | None]]:
        """Data and the rows of them, or the batches themselves."""
        if self.spec.premade:
            return ((batch, None) for batch in self._made(data, batches))
        return ((data, tf.constant(rows)) for rows in batches)

    def _made(self, data: Arrays, several: Iterable[np.ndarray]) -> Iterator[Tensors]:
        return made(lambda rows: self._moved(self.spec.batch(data, rows)), several, self.spec.made_ahead)

    def params(self) -> Arrays:
        return {name: value.numpy() for name, value in self.weights.items()}

    def weight_shapes(self) -> dict[str, tuple[int, ...]]:
        return {name: tuple(value.shape) for name, value in self.weights.items()}

    def outputs(self, batch: Arrays) -> Arrays:
        return self.infer(self.place(batch), np.arange(count(batch)))

    def step(self, batch: Arrays) -> float:
        rates = self._rates(1)
        self.steps += 1
        return float(self._step(self._moved(batch), None if rates is None else rates[0]))

    def grads(self, batch: Arrays) -> Arrays:
        _, gradients, *_ = self._gradients(self._moved(batch), self._nothing(count(batch)))
        return {name: value.numpy() for name, value in gradients.items()}

    def _function(self, body: Callable[..., Any], **options: Any) -> Any:
        return body if self.mode == "eager" else tf.function(body, **options)

    @cached_property
    def slots(self) -> dict[str, tuple[tf.Variable, ...]]:
        """Of the optimiser: who never trains has none. A trace that asks for them first does not hold them."""
        names = SLOTS[self.spec.optimizer]
        with tf.init_scope():
            return {
                name: tuple(tf.Variable(tf.zeros_like(one)) for _ in names)
                for name, one in self.trained.items()
            }

    def _nothing(self, samples: int) -> Tensors:
        """What is carried over to the first batch."""
        return {name: tf.zeros(shape, self.dtype) for name, shape in self.spec.carried(samples).items()}

    def _rates(self, steps: int) -> tf.Tensor | None:
        """Of the steps to come, where they have rates of their own."""
        rates = self.spec.rates(self.steps, steps)
        return None if rates is None else tf.constant(rates, self.dtype)

    def _moved(self, data: Arrays) -> Tensors:
        """To the device; whole numbers, as those of tokens and classes, stay whole."""
        kinds = {"i": tf.int32, "u": tf.uint8, "f": self.dtype, "b": tf.bool}
        return {name: tf.constant(one, kinds[kind_of(one)]) for name, one in data.items()}

    def _take_epoch(
        self, data: Tensors, order: tf.Tensor, rates: tf.Tensor | None
    ) -> tuple[tf.Tensor, tf.Tensor]:
        steps = len(order)
        losses, used = tf.TensorArray(self.dtype, steps), tf.TensorArray(order.dtype, steps)
        for step in tf.range(steps):
            rows = order[step]
            loss = self._step(self.spec.taught(_take, data, rows), None if rates is None else rates[step])
            losses, used = losses.write(step, loss), used.write(step, rows)
        return losses.stack(), used.stack()

    def _take_step(self, batch: Tensors, rate: tf.Tensor | None) -> tf.Tensor:
        loss, gradients, statistics, carried = self._of_step(batch)
        if self.spec.optimizer == "adam":
            self.power[0].assign(self.power[0] * self.spec.beta1)
            self.power[1].assign(self.power[1] * self.spec.beta2)
        with tf.name_scope("optimiser"):  # for profiles (suite.profilers)
            self._update(self._clipped(gradients), rate)
        for name, value in statistics.items():
            self.weights[name].assign(value)
        for name, value in carried.items():
            self.carried[name].assign(value)
        if self.sites:
            self.chance.assign_add([0, 1])
        return loss

    def _update(self, gradients: Tensors, rate: tf.Tensor | None) -> None:
        for name, gradient in gradients.items():
            weight = self.trained[name]
            rule, kept = self.rules[name], self.slots[name]
            less, slots = update(rule, tf.sqrt, weight, kept, gradient, self.power, rate)
            for slot, value in zip(kept, slots, strict=True):
                slot.assign(value)
            weight.assign_sub(less)

    def _of_step(self, batch: Tensors) -> tuple[tf.Tensor, Tensors, Tensors, Tensors]:
        """In micro-batches one after the other, so that of one alone what it computed is kept for its gradients.

        Of these there are no statistics, and nothing is carried over.
        """
        parts = self.spec.micro_batches
        if parts == 1:
            return self._loss_and_gradients(batch, self.carried)
        cut = {name: tf.reshape(one, [parts, -1, *one.shape[1:]]) for name, one in batch.items()}

        def added(number: tf.Tensor, *before: Any) -> tuple[Any, ...]:
            part = {name: one[number] for name, one in cut.items()}
            loss, gradients, *_ = self._loss_and_gradients(part, {})
            return number + 1, *tf.nest.map_structure(tf.add, before, (loss, gradients))

        zeros = tf.zeros([], self.dtype), {name: tf.zeros_like(one) for name, one in self.trained.items()}
        _, *sums = tf.while_loop(lambda number, *_: number < parts, added, (tf.constant(0), *zeros))
        loss, gradients = tf.nest.map_structure(lambda one: one / parts, sums)
        return loss, gradients, {}, {}

    def _loss_and_gradients(
        self, batch: Tensors, carried: Tensors
    ) -> tuple[tf.Tensor, Tensors, Tensors, Tensors]:
        with tf.GradientTape() as tape:
            outputs, statistics, carried = self._narrowed(batch, carried, TRAIN)
            loss = self.loss(outputs, batch)
            scaled = loss * self.spec.loss_scale if self.spec.loss_scale != 1.0 else loss
        gradients = tape.gradient(scaled, self.trained)
        return loss, {name: self._plain(value) for name, value in gradients.items()}, statistics, carried

    def _plain(self, gradient: Any) -> tf.Tensor:
        """Without the loss's scale; that of an embedding dense, as every framework's."""
        dense = tf.convert_to_tensor(gradient)
        return dense if self.spec.loss_scale == 1.0 else dense / self.spec.loss_scale

    def _clipped(self, gradients: Tensors) -> Tensors:
        if not self.spec.clip_norm:
            return gradients
        norm = tf.sqrt(tf.add_n([tf.reduce_sum(one * one) for one in gradients.values()]))
        share = tf.minimum(self.spec.clip_norm / norm, 1.0)
        return {name: one * share for name, one in gradients.items()}

    def _answer_batch(
        self, stage: str, data: Tensors, rows: tf.Tensor | None, carried: Tensors
    ) -> tuple[Tensors, Tensors]:
        """`rows` is None where `data` is the batch itself."""
        batch = data if rows is None else self.spec.tested(_take, data, rows)
        outputs, _, carried = self._narrowed(batch, carried, stage)
        return outputs, carried

    def _narrowed(self, batch: Tensors, carried: Tensors, stage: str) -> tuple[Tensors, Tensors, Tensors]:
        """`apply` in the precision asked for; outputs, statistics and what is carried over in that of the weights."""
        weights: Tensors = dict(self.weights)
        given = {**batch, **carried}
        if self.sites and stage == TRAIN:
            given[CHANCE] = tf.convert_to_tensor(self.chance)
        if self.narrow != self.dtype:
            weights |= {name: tf.cast(one, self.narrow) for name, one in weights.items() if narrows(name)}
            given = _cast(given, self.narrow)
        outputs, statistics = (_cast(one, self.dtype) for one in self.apply(weights, given, stage))
        return outputs, statistics, {name: tf.stop_gradient(outputs.pop(name)) for name in carried}


class Classifier(Trainer):
    """A network from features to logits [n, classes]."""

    @abstractmethod
    def forward(self, weights: Tensors, x: tf.Tensor, training: bool) -> tuple[tf.Tensor, Tensors]:
        """Features [n, ...] -> logits [n, classes], and in training the new values of statistics by name."""

    def apply(self, weights: Tensors, batch: Tensors, stage: str) -> tuple[Tensors, Tensors]:
        logits, statistics = self.forward(weights, batch["x"], training=stage == TRAIN)
        return {SCORES: logits}, statistics

    def loss(self, outputs: Tensors, batch: Tensors) -> tf.Tensor:
        """Softmax cross-entropy, mean over the batch."""
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(batch["y"], outputs[SCORES])
        return tf.reduce_mean(losses)


def _take(array: tf.Tensor, *places: tf.Tensor) -> tf.Tensor:
    return tf.gather_nd(array, tf.stack(places, axis=-1)) if len(places) > 1 else tf.gather(array, *places)


def _cast(tensors: Tensors, dtype: tf.DType) -> Tensors:
    """Those of floating point."""
    return {name: tf.cast(one, dtype) if one.dtype.is_floating else one for name, one in tensors.items()}
