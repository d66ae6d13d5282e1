"""The CNN in TensorFlow: one graph for a whole epoch, data resident on the device."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from suite.mnist_cnn.spec import MnistCnn
from suite.spec import Arrays

Data = tuple[tf.Tensor, tf.Tensor]


class Impl:
    def __init__(self, spec: MnistCnn, weights: Arrays, dtype: str, device: str) -> None:
        self.spec, self.dtype = spec, tf.as_dtype(dtype)
        self.weights = {name: tf.Variable(array, dtype=dtype) for name, array in weights.items()}
        self.velocity = {name: tf.Variable(tf.zeros_like(value)) for name, value in self.weights.items()}

    def place(self, x: np.ndarray, y: np.ndarray) -> Data:
        return tf.constant(x, self.dtype), tf.constant(y, tf.int32)

    def compile(self, data: Data, stage: str) -> None:
        self._logits.get_concrete_function(tf.TensorSpec([None, *data[0].shape[1:]], self.dtype))
        if stage == "train":
            self._epoch.get_concrete_function(*data, tf.TensorSpec([None, self.spec.batch_size], tf.int64))

    def train(self, data: Data, order: np.ndarray) -> float:
        return float(self._epoch(*data, tf.constant(order)))

    def predict(self, data: Data) -> np.ndarray:
        images, size = data[0], self.spec.predict_batch_size
        batches = (images[start : start + size] for start in range(0, len(images), size))
        return tf.concat([self._logits(batch) for batch in batches], axis=0).numpy()

    def params(self) -> Arrays:
        return {name: value.numpy() for name, value in self.weights.items()}

    def step(self, x: np.ndarray, y: np.ndarray) -> float:
        return float(self._step(*self.place(x, y)))

    def grads(self, x: np.ndarray, y: np.ndarray) -> Arrays:
        _, gradients = self._gradients(*self.place(x, y))
        return {name: value.numpy() for name, value in gradients.items()}

    @tf.function
    def _epoch(self, images: tf.Tensor, labels: tf.Tensor, order: tf.Tensor) -> tf.Tensor:
        total = tf.zeros((), self.dtype)
        for batch in order:
            total += self._step(tf.gather(images, batch), tf.gather(labels, batch))
        return total / tf.cast(len(order), self.dtype)

    @tf.function(reduce_retracing=True)
    def _logits(self, images: tf.Tensor) -> tf.Tensor:
        return self._forward(images)

    @tf.function
    def _step(self, images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        loss, gradients = self._gradients(images, labels)
        for name, gradient in gradients.items():
            velocity = self.velocity[name].assign(self.spec.momentum * self.velocity[name] + gradient)
            self.weights[name].assign_sub(self.spec.learning_rate * velocity)
        return loss

    def _gradients(self, images: tf.Tensor, labels: tf.Tensor) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, self._forward(images))
            loss = tf.reduce_mean(losses)
        return loss, tape.gradient(loss, self.weights)

    def _forward(self, images: tf.Tensor) -> tf.Tensor:
        """Images [n, 28, 28, 1] -> logits [n, 10]."""
        x = self._convolution(images, "conv1")
        x = self._convolution(x, "conv2")
        return tf.reshape(x, [-1, 7 * 7 * 128]) @ self.weights["dense/kernel"] + self.weights["dense/bias"]

    def _convolution(self, x: tf.Tensor, layer: str) -> tf.Tensor:
        """'same' convolution, ReLU, max-pool 2x2."""
        x = tf.nn.conv2d(x, self.weights[f"{layer}/kernel"], strides=1, padding="SAME")
        x = tf.nn.relu(tf.nn.bias_add(x, self.weights[f"{layer}/bias"]))
        return tf.nn.max_pool2d(x, ksize=2, strides=2, padding="SAME")
