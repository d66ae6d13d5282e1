"""Training and inference in Keras, the same on every backend: fit() over batches that lie on the device.

Modes: graph, eager, xla on TensorFlow (steps per second of mnist_cnn in docs/workloads.md); jit and eager on JAX; eager
on PyTorch. The backend's own compiled form is the default.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from functools import partial
from typing import Any

import keras
import numpy as np
from keras import ops

from suite import keras_backends
from suite.fingerprint import Epoch
from suite.neural import NeuralSpec
from suite.spec import Arrays, count
from suite.task import INFER, SCORES, TRAIN
from suite.trainers import ahead, chosen_mode, filled, keras_feeds, kind_of, made
from suite.trainers.keras_optimizers import Adam, GradientRecord, Rates, Sgd, scaled

Tensors = dict[str, Any]  # of the backend
MODES = {"tensorflow": ("graph", "eager", "xla"), "jax": ("jit", "eager"), "torch": ("eager",)}
BY_XLA = ("xla", "jit")  # modes whose shapes are compiled, each by itself
POLICIES = {"bf16": "mixed_bfloat16", "fp16": "mixed_float16"}


class Trainer(ABC):
    def __init__(self, spec: NeuralSpec, weights: Arrays, dtype: str, device: str) -> None:
        self.spec, self.dtype = spec, dtype
        self._taught = keras_backends.in_one_call(partial(spec.taught, keras_backends.take))
        self.mode = chosen_mode(spec, MODES[keras_backends.BACKEND], self.default_mode(device))
        keras_backends.set_dtype(dtype)
        keras_backends.allow_tf32(spec.precision == "tf32")
        keras.config.set_dtype_policy(POLICIES.get(spec.precision, dtype))
        self.net = self.network()
        for variable in _variables(self.net):
            variable.assign(weights[_canonical(variable)])
        optimizer, self._rates = _optimizer(spec)
        optimizer.exclude_from_weight_decay(
            [one for one in self.net.trainable_variables if not spec.decays(_canonical(one))]
        )
        self._trained = self.trained(self.net, spec.batch_size)
        self._compile(self._trained, scaled(optimizer, spec), self._steps_per_execution())
        self._feed = keras_feeds.feeder(self._batch, spec)

    def default_mode(self, device: str) -> str:
        """The backend's own compiled form, unless a model is faster in another mode."""
        return MODES[keras_backends.BACKEND][0]

    @abstractmethod
    def network(self) -> keras.Model:
        """The model, its layers named as the canonical weights are; a dict of outputs, or scores alone."""

    def trained(self, net: keras.Model, samples: int) -> keras.Model:
        """What `fit` takes, in batches of so many: the network itself, unless there is more around it."""
        return net

    def asked(self, stage: str) -> keras.Model:
        """What answers a whole test set in a stage, from its beginning on."""
        return self.net

    def place(self, data: Arrays) -> Any:
        return data if self.spec.premade else self._moved(data)

    def compile(self, data: Any, stage: str) -> None:
        """Compiles a training step, of which every epoch is made, or answers for a whole batch and the last one."""
        if stage == TRAIN:
            first = np.arange(self.spec.batch_size)[np.newaxis]
            self._prepare_rates()
            keras_backends.trace_training(self._trained, self._fed(data, first), self.spec.micro_batches)
        else:
            self.infer(data, np.arange(ahead(count(data), self.spec.predict_batch_size)), stage)

    def train(self, data: Any, order: np.ndarray) -> Epoch:
        if self._rates is None:
            return self._fitted(data, order)
        parts = [
            self._train_some(data, order[start:][: Rates.AHEAD])
            for start in range(0, len(order), Rates.AHEAD)
        ]
        shares = [len(one.rows) for one in parts]
        loss = np.average([one.loss for one in parts], weights=shares)
        return Epoch(np.array([loss]), np.concatenate([one.rows for one in parts]))

    def infer(self, data: Any, rows: np.ndarray, stage: str = INFER) -> Arrays:
        size = self.spec.predict_batch_size
        batches = [rows[start : start + size] for start in range(0, len(rows), size)]
        if self.mode in BY_XLA:
            batches[-1] = filled(batches[-1], size)
        model = self.asked(stage)
        given = made(partial(self._given, data), batches, self.spec.made_ahead)
        outputs = [self._named(model.predict_on_batch(batch)) for batch in given]
        return {name: np.concatenate([one[name] for one in outputs])[: len(rows)] for name in outputs[0]}

    def params(self) -> Arrays:
        return {_canonical(one): ops.convert_to_numpy(one) for one in _variables(self.net)}

    def weight_shapes(self) -> dict[str, tuple[int, ...]]:
        return {_canonical(one): tuple(one.shape) for one in _variables(self.net)}

    def outputs(self, batch: Arrays) -> Arrays:
        return self.infer(self.place(batch), np.arange(count(batch)))

    def step(self, batch: Arrays) -> float:
        self._prepare_rates()
        several = self._micro_batches(batch)
        losses = [self._trained.train_on_batch(*self._pair(self._moved(one))) for one in several]
        return float(np.mean(losses))

    def _micro_batches(self, batch: Arrays) -> list[Arrays]:
        if (parts := self.spec.micro_batches) == 1:
            return [batch]
        cut = {name: np.split(one, parts) for name, one in batch.items()}
        return [{name: several[number] for name, several in cut.items()} for number in range(parts)]

    def grads(self, batch: Arrays) -> Arrays:
        """A copy of the model takes a step whose result is the gradients themselves."""
        copy = self.network()
        copy.set_weights(self.net.get_weights())
        trained = self.trained(copy, count(batch))
        self._compile(trained, GradientRecord(learning_rate=1.0))
        trained.train_on_batch(*self._pair(self._moved(batch)))
        return {_canonical(one): ops.convert_to_numpy(one) for one in copy.trainable_variables}

    def memory(self) -> Any:
        return keras_backends.memory(self._trained)

    def rewind(self, memory: Any) -> None:
        keras_backends.rewind(self._trained, memory)

    def _train_some(self, data: Any, order: np.ndarray) -> Epoch:
        """As many steps as rates lie ready for."""
        self._prepare_rates()
        return self._fitted(data, order)

    def _fitted(self, data: Any, order: np.ndarray) -> Epoch:
        return keras_backends.fit(self._trained, self._fed(data, order), len(order), self.spec.micro_batches)

    def _fed(self, data: Any, order: np.ndarray) -> keras_backends.Feed:
        """Each part of a batch as a batch to Keras, whose optimiser adds up their gradients."""
        return self._feed(data, order.reshape(len(order) * self.spec.micro_batches, -1))

    def _prepare_rates(self) -> None:
        if self._rates is not None:
            self._rates.prepare(int(self._trained.optimizer.iterations))

    def _moved(self, data: Arrays) -> Tensors:
        """To the device; whole numbers, as those of tokens and classes, stay whole."""
        kinds = {"i": "int32", "u": "uint8", "f": self.dtype, "b": "bool"}
        return {name: keras_backends.place(one, kinds[kind_of(one)]) for name, one in data.items()}

    def _given(self, data: Any, rows: np.ndarray) -> Any:
        """A batch without its targets."""
        if self.spec.premade:
            return self._batch(data, rows)[0]
        return self._pair(self.spec.tested(keras_backends.take, data, rows))[0]

    def _batch(self, data: Any, rows: Any) -> tuple[Any, ...]:
        """Of a training."""
        if self.spec.premade:
            return self._pair(self._moved(self.spec.batch(data, rows)))
        return self._pair(self._taught(data, rows))

    def _pair(self, batch: Tensors) -> tuple[Any, ...]:
        """What the network takes, and its targets, as Keras wants them: what stands alone bears no name."""
        targets = {name: batch[name] for name in self.spec.targets if name in batch}
        given = {name: one for name, one in batch.items() if name not in targets}
        first, second = (next(iter(part.values())) if len(part) == 1 else part for part in (given, targets))
        return first, second

    def _named(self, outputs: Any) -> Arrays:
        return outputs if isinstance(outputs, dict) else {SCORES: outputs}

    def objective(self) -> keras.losses.Loss | None:
        """Of the outputs against the spec's targets; None where the model itself has one."""
        return None

    def _compile(self, net: keras.Model, optimizer: keras.optimizers.Optimizer, steps: int = 1) -> None:
        net.compile(
            optimizer,
            self.objective(),
            steps_per_execution=steps,
            run_eagerly=self.mode == "eager" and keras_backends.BACKEND != "torch",
            jit_compile=self.mode in BY_XLA,
            auto_scale_loss=False,
        )
        if self.mode == "xla" and not net.jit_compile:
            raise RuntimeError(
                f"{self.spec.name}: no mode xla, as Keras compiles a layer of it otherwise here"
            )

    def _steps_per_execution(self) -> int:
        return 1 if self.mode == "eager" else keras_backends.STEPS_PER_EXECUTION


class Classifier(Trainer):
    """A network from features to logits [n, classes]."""

    def objective(self) -> keras.losses.Loss:
        """Softmax cross-entropy, mean over the batch."""
        return keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def _optimizer(spec: NeuralSpec) -> tuple[keras.optimizers.Optimizer, Rates | None]:
    """And its rates, where each step has its own."""
    rates = None if spec.rates(0, 1) is None else Rates(spec)
    rate = spec.learning_rate if rates is None else rates
    more = {
        "weight_decay": spec.weight_decay or None,
        "global_clipnorm": spec.clip_norm or None,
        "gradient_accumulation_steps": spec.micro_batches if spec.micro_batches > 1 else None,
    }
    if spec.optimizer == "adam":
        optimizer = Adam(rate, spec.beta1, spec.beta2, spec.epsilon, **more)
    else:
        optimizer = Sgd(rate, spec.momentum, **more)
    if rates is not None:
        rates.lie_with(optimizer)
    return optimizer, rates


def _variables(net: keras.Model) -> list[keras.Variable]:
    """All that a canonical array stands for; seeds of random layers are Keras' own."""
    return [one for one in net.weights if "seed" not in one.path]


def _canonical(variable: keras.Variable) -> str:
    """E.g. sequential/conv1/kernel -> conv1/kernel, .../moving_mean -> .../mean, .../lstm_cell/bias -> .../bias."""
    name = re.sub(r"^sequential\w*/", "", variable.path)  # a functional model does not name itself
    return re.sub(r"/\w+_cell(_\d+)?/", "/", name).replace("moving_", "")
