"""The CNN in JAX: one compiled scan for a whole epoch, data resident on the device."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from suite.mnist_cnn.spec import MnistCnn
from suite.spec import Arrays

Data = tuple[jax.Array, jax.Array]


class Impl:
    def __init__(self, spec: MnistCnn, weights: Arrays, dtype: str, device: str) -> None:
        jax.config.update("jax_enable_x64", dtype == "float64")
        self.spec, self.dtype = spec, dtype
        self.weights = {name: jnp.asarray(array, dtype) for name, array in weights.items()}
        self.velocity = jax.tree.map(jnp.zeros_like, self.weights)
        # On a CPU, XLA runs a convolution inside a loop on one thread and 45 times slower, but a matrix product
        # fast; alone, or on a GPU, the library's convolution is the fast one.
        self._train_convolution = _by_columns if device == "cpu" else _by_library
        self._loss_and_grads = jax.jit(jax.value_and_grad(self._loss))
        self._step = jax.jit(self._sgd)
        self._epoch = jax.jit(self._scan, donate_argnums=(0, 1))
        self._logits = jax.jit(lambda weights, images: _forward(weights, images, _by_library))

    def place(self, x: np.ndarray, y: np.ndarray) -> Data:
        return jax.block_until_ready((jnp.asarray(x, self.dtype), jnp.asarray(y, jnp.int32)))

    def compile(self, data: Data, stage: str) -> None:
        """Ahead of time, for the shapes to come; an epoch's length follows from the data."""
        self._logits(self.weights, next(self._batches(data[0]))).block_until_ready()
        if stage == "train":
            shape = (self.spec.steps_per_epoch(len(data[1])), self.spec.batch_size)
            order = jax.ShapeDtypeStruct(shape, jnp.int32)
            self._epoch = self._epoch.lower(self.weights, self.velocity, order, *data).compile()

    def train(self, data: Data, order: np.ndarray) -> float:
        indices = jnp.asarray(order, jnp.int32)
        self.weights, self.velocity, loss = self._epoch(self.weights, self.velocity, indices, *data)
        return float(loss)

    def predict(self, data: Data) -> np.ndarray:
        scores = [self._logits(self.weights, batch) for batch in self._batches(data[0])]
        return np.concatenate(jax.device_get(scores))[: len(data[0])]

    def params(self) -> Arrays:
        return {name: np.asarray(value) for name, value in self.weights.items()}

    def step(self, x: np.ndarray, y: np.ndarray) -> float:
        self.weights, self.velocity, loss = self._step(self.weights, self.velocity, *self.place(x, y))
        return float(loss)

    def grads(self, x: np.ndarray, y: np.ndarray) -> Arrays:
        _, gradients = self._loss_and_grads(self.weights, *self.place(x, y))
        return {name: np.asarray(value) for name, value in gradients.items()}

    def _batches(self, images):
        """Batches of one size, so that one compiled shape fits all: a last, smaller one is padded."""
        size = self.spec.predict_batch_size
        for start in range(0, len(images), size):
            batch = images[start : start + size]
            yield jnp.pad(batch, ((0, size - len(batch)), (0, 0), (0, 0), (0, 0)))

    def _scan(self, weights, velocity, order, images, labels):
        def body(state, batch):
            *state, loss = self._sgd(*state, images[batch], labels[batch])
            return tuple(state), loss

        (weights, velocity), losses = lax.scan(body, (weights, velocity), order)
        return weights, velocity, losses.mean()

    def _sgd(self, weights, velocity, images, labels):
        loss, gradients = jax.value_and_grad(self._loss)(weights, images, labels)
        velocity = jax.tree.map(lambda v, g: self.spec.momentum * v + g, velocity, gradients)
        weights = jax.tree.map(lambda w, v: w - self.spec.learning_rate * v, weights, velocity)
        return weights, velocity, loss

    def _loss(self, weights, images, labels):
        scores = jax.nn.log_softmax(_forward(weights, images, self._train_convolution))
        return -jnp.take_along_axis(scores, labels[:, None], axis=1).mean()


def _forward(weights, x, convolution):
    """Images [n, 28, 28, 1] -> logits [n, 10]."""
    for layer in ("conv1", "conv2"):
        x = convolution(x, weights[f"{layer}/kernel"]) + weights[f"{layer}/bias"]
        x = _max_pool(jax.nn.relu(x))
    return x.reshape(len(x), -1) @ weights["dense/kernel"] + weights["dense/bias"]


def _by_library(x, kernel):
    return lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def _by_columns(x, kernel):
    """'same' convolution as one matrix product over the shifted copies of the input (im2col)."""
    height, width, _, channels = kernel.shape
    n, rows, columns, _ = x.shape
    padded = jnp.pad(x, ((0, 0), (height // 2, height // 2), (width // 2, width // 2), (0, 0)))
    shifts = [padded[:, i : i + rows, j : j + columns] for i in range(height) for j in range(width)]
    patches = jnp.concatenate(shifts, axis=3).reshape(n * rows * columns, -1)
    return (patches @ kernel.reshape(-1, channels)).reshape(n, rows, columns, channels)


def _max_pool(x):
    """2x2, as a maximum over a reshaped array: `reduce_window` costs a third of the throughput on a CPU."""
    n, height, width, channels = x.shape
    return x.reshape(n, height // 2, 2, width // 2, 2, channels).max(axis=(2, 4))
