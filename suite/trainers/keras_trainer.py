"""Training and inference in Keras, the same on every backend: fit() over batches that lie on the device.

Modes: graph, eager, xla on TensorFlow (steps per second of mnist_cnn in docs/workloads.md); jit and eager on JAX; eager
on PyTorch. The backend's own compiled form is the default.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Any

import keras
import numpy as np
from keras import ops

from suite import keras_backends
from suite.fingerprint import Epoch
from suite.neural import NeuralSpec
from suite.spec import Arrays
from suite.trainers import chosen_mode
from suite.trainers.keras_optimizers import Adam, Record, Sgd, scaled

Data = tuple[Any, Any]  # tensors of the backend
MODES = {"tensorflow": ("graph", "eager", "xla"), "jax": ("jit", "eager"), "torch": ("eager",)}
POLICIES = {"bf16": "mixed_bfloat16", "fp16": "mixed_float16"}


class Trainer(ABC):
    def __init__(self, spec: NeuralSpec, weights: Arrays, dtype: str, device: str) -> None:
        self.spec, self.dtype = spec, dtype
        self.mode = chosen_mode(spec, MODES[keras_backends.BACKEND], self.default_mode(device))
        keras_backends.set_dtype(dtype)
        keras_backends.allow_tf32(spec.precision == "tf32")
        keras.config.set_dtype_policy(POLICIES.get(spec.precision, dtype))
        self.net = self.network()
        self._compile(self.net, scaled(_optimizer(spec), spec), self._steps_per_execution())
        for variable in _variables(self.net):
            variable.assign(weights[_canonical(variable)])

    def default_mode(self, device: str) -> str:
        """The backend's own compiled form, unless a model is faster in another mode."""
        return MODES[keras_backends.BACKEND][0]

    @abstractmethod
    def network(self) -> keras.Model:
        """The model, its layers named as the canonical weights are; it gives logits [n, classes]."""

    def place(self, x: np.ndarray, y: np.ndarray) -> Data:
        kind = "int32" if x.dtype.kind in "iu" else self.dtype
        return keras_backends.place(x, kind), keras_backends.place(y, "int32")

    def compile(self, tested: Data, trained: Data | None = None) -> None:
        """Traces both functions, `predict` for a whole and a smaller batch."""
        self.predict(tested, np.arange(min(len(tested[1]), self.spec.predict_batch_size + 1)))
        if trained:
            keras_backends.trace_training(self.net, trained, self.spec.batch_size)

    def train(self, data: Data, order: np.ndarray) -> Epoch:
        return keras_backends.fit(self.net, data, order)

    def predict(self, data: Data, rows: np.ndarray) -> np.ndarray:
        size = self.spec.predict_batch_size
        batches = (
            keras_backends.whole(rows[start : start + size], size) for start in range(0, len(rows), size)
        )
        scores = [self.net.predict_on_batch(ops.take(data[0], batch, axis=0)) for batch in batches]
        return np.concatenate(scores)[: len(rows)]

    def params(self) -> Arrays:
        return {_canonical(one): ops.convert_to_numpy(one) for one in _variables(self.net)}

    def step(self, x: np.ndarray, y: np.ndarray) -> float:
        return float(self.net.train_on_batch(*self.place(x, y)))

    def grads(self, x: np.ndarray, y: np.ndarray) -> Arrays:
        """A copy of the model takes a step whose result is the gradients themselves."""
        copy = self.network()
        copy.set_weights(self.net.get_weights())
        self._compile(copy, Record(learning_rate=1.0))
        copy.train_on_batch(*self.place(x, y))
        return {_canonical(one): ops.convert_to_numpy(one) for one in copy.trainable_variables}

    def _compile(self, net: keras.Model, optimizer: keras.optimizers.Optimizer, steps: int = 1) -> None:
        net.compile(
            optimizer,
            keras.losses.SparseCategoricalCrossentropy(from_logits=True),
            steps_per_execution=steps,
            run_eagerly=self.mode == "eager" and keras_backends.BACKEND != "torch",
            jit_compile=self.mode in ("xla", "jit"),
            auto_scale_loss=False,
        )

    def _steps_per_execution(self) -> int:
        return 1 if self.mode == "eager" else keras_backends.STEPS_PER_EXECUTION


def _optimizer(spec: NeuralSpec) -> keras.optimizers.Optimizer:
    if spec.optimizer == "adam":
        return Adam(spec.learning_rate, spec.beta1, spec.beta2, spec.epsilon)
    return Sgd(spec.learning_rate, spec.momentum)


def _variables(net: keras.Model) -> list[keras.Variable]:
    """All that a canonical array stands for; seeds of random layers are Keras' own."""
    return [one for one in net.weights if "seed" not in one.path]


def _canonical(variable: keras.Variable) -> str:
    """E.g. sequential/conv1/kernel -> conv1/kernel, .../moving_mean -> .../mean, .../lstm_cell/bias -> .../bias."""
    name = re.sub(r"^sequential\w*/", "", variable.path)  # a functional model does not name itself
    return re.sub(r"/\w+_cell(_\d+)?/", "/", name).replace("moving_", "")
