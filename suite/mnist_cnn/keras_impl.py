"""The CNN in Keras, the same on every backend: fit() over batches that lie on the device."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
from keras import layers, ops

from suite import keras_backends
from suite.mnist_cnn.spec import MnistCnn
from suite.spec import Arrays

Data = tuple[Any, Any]  # tensors of the backend


class Impl:
    def __init__(self, spec: MnistCnn, weights: Arrays, dtype: str, device: str) -> None:
        self.spec, self.dtype = spec, dtype
        keras_backends.set_dtype(dtype)
        self.model = _model()
        optimizer = keras.optimizers.SGD(spec.learning_rate, spec.momentum)
        _compile(self.model, optimizer, keras_backends.STEPS_PER_EXECUTION)
        for variable in self.model.trainable_variables:
            variable.assign(weights[_canonical(variable)])

    def place(self, x: np.ndarray, y: np.ndarray) -> Data:
        return keras_backends.place(x, self.dtype), keras_backends.place(y, "int32")

    def compile(self, data: Data, stage: str) -> None:
        """Traces both functions, `predict` for a whole and a smaller batch."""
        whole_and_smaller_batch = data[0][: self.spec.predict_batch_size + 1]
        self.predict((whole_and_smaller_batch, data[1]))
        if stage == "train":
            keras_backends.trace_training(self.model, data, self.spec.batch_size)

    def train(self, data: Data, order: np.ndarray) -> float:
        return keras_backends.fit(self.model, data, order)

    def predict(self, data: Data) -> np.ndarray:
        images, size = data[0], self.spec.predict_batch_size
        batches = (images[start : start + size] for start in range(0, len(images), size))
        scores = [self.model.predict_on_batch(keras_backends.whole(batch, size)) for batch in batches]
        return np.concatenate(scores)[: len(images)]

    def params(self) -> Arrays:
        return {_canonical(one): ops.convert_to_numpy(one) for one in self.model.trainable_variables}

    def step(self, x: np.ndarray, y: np.ndarray) -> float:
        return float(self.model.train_on_batch(*self.place(x, y)))

    def grads(self, x: np.ndarray, y: np.ndarray) -> Arrays:
        """A copy of the model takes a step whose result is the gradients themselves."""
        copy = _model()
        copy.set_weights(self.model.get_weights())
        _compile(copy, Record(learning_rate=1.0))
        copy.train_on_batch(*self.place(x, y))
        return {_canonical(one): ops.convert_to_numpy(one) for one in copy.trainable_variables}


class Record(keras.optimizers.Optimizer):
    """Leaves each gradient in the place of its variable."""

    def update_step(self, gradient: Any, variable: keras.Variable, learning_rate: Any) -> None:
        self.assign(variable, gradient)


def _model() -> keras.Model:
    return keras.Sequential(
        [
            keras.Input([28, 28, 1]),
            layers.Conv2D(64, 3, padding="same", activation="relu", name="conv1"),
            layers.MaxPooling2D(),
            layers.Conv2D(128, 5, padding="same", activation="relu", name="conv2"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(10, name="dense"),
        ]
    )


def _compile(model: keras.Model, optimizer: keras.optimizers.Optimizer, steps: int = 1) -> None:
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer, loss, steps_per_execution=steps)


def _canonical(variable: keras.Variable) -> str:
    """sequential/conv1/kernel -> conv1/kernel"""
    return variable.path.partition("/")[2]
