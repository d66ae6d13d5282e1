"""The CNN in Keras on its TensorFlow backend: fit() over a tf.data pipeline, many steps per execution."""

from __future__ import annotations

import contextlib

import keras
import numpy as np
import tensorflow as tf
from keras import layers

from suite.mnist_cnn.spec import MnistCnn
from suite.spec import Arrays

Data = tuple[tf.Tensor, tf.Tensor]

STEPS_PER_EXECUTION = 32  # 1 costs a round trip through Python per step


class Impl:
    def __init__(self, spec: MnistCnn, weights: Arrays, dtype: str, device: str) -> None:
        self.spec, self.dtype = spec, dtype
        keras.config.set_floatx(dtype)
        self.model = _model(spec)
        for variable in self.model.trainable_variables:
            variable.assign(weights[_canonical(variable)])

    def place(self, x: np.ndarray, y: np.ndarray) -> Data:
        return tf.constant(x, self.dtype), tf.constant(y, tf.int32)

    def compile(self, data: Data, stage: str) -> None:
        """Traces both functions: over no batches, the training function is traced but takes no step."""
        whole_and_smaller_batch = data[0][: self.spec.predict_batch_size + 1]
        self.predict((whole_and_smaller_batch, data[1]))
        if stage == "train":
            self._trace_training(data)

    def train(self, data: Data, order: np.ndarray) -> float:
        return self.model.fit(_pipeline(data, order), shuffle=False, verbose=0).history["loss"][0]

    def predict(self, data: Data) -> np.ndarray:
        images, size = data[0], self.spec.predict_batch_size
        batches = (images[start : start + size] for start in range(0, len(images), size))
        return np.concatenate([self.model.predict_on_batch(batch) for batch in batches])

    def params(self) -> Arrays:
        return {_canonical(variable): variable.numpy() for variable in self.model.trainable_variables}

    def step(self, x: np.ndarray, y: np.ndarray) -> float:
        return float(self.model.train_on_batch(*self.place(x, y)))

    def grads(self, x: np.ndarray, y: np.ndarray) -> Arrays:
        images, labels = self.place(x, y)
        variables = self.model.trainable_variables
        with tf.GradientTape() as tape:
            loss = self.model.compute_loss(y=labels, y_pred=self.model(images, training=True))
        values = tape.gradient(loss, [variable.value for variable in variables])
        return {_canonical(one): value.numpy() for one, value in zip(variables, values, strict=True)}

    def _trace_training(self, data: Data) -> None:
        self.model.optimizer.build(self.model.trainable_variables)
        self.model.make_train_function()
        no_batches = np.empty([0, self.spec.batch_size], np.int64)
        with contextlib.suppress(StopIteration):
            self.model.train_function(iter(_pipeline(data, no_batches)))


def _model(spec: MnistCnn) -> keras.Model:
    model = keras.Sequential(
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
    model.compile(
        keras.optimizers.SGD(spec.learning_rate, spec.momentum),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        steps_per_execution=STEPS_PER_EXECUTION,
    )
    return model


def _pipeline(data: Data, order: np.ndarray) -> tf.data.Dataset:
    """Batches (images [batch, 28, 28, 1], labels [batch]) exactly as `order` [steps, batch] names them."""

    def batch(indices: tf.Tensor) -> Data:
        return tf.gather(data[0], indices), tf.gather(data[1], indices)

    return tf.data.Dataset.from_tensor_slices(order).map(batch).prefetch(tf.data.AUTOTUNE)


def _canonical(variable: keras.Variable) -> str:
    """sequential/conv1/kernel -> conv1/kernel"""
    return variable.path.partition("/")[2]
