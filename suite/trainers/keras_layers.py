"""Keras' layers, where they need other words, or have another definition, than those of the other frameworks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import keras
from keras import layers, ops

from suite.keras_backends import BACKEND
from suite.neural import narrows, trains

Shapes = Mapping[str, tuple[int, ...]]

# All weights are the spec's. Random ones before them, which nobody uses, are a compilation for each shape on JAX: of
# ResNet-11's 5 s of building 4.5 s.
Conv2D = partial(layers.Conv2D, kernel_initializer="zeros")
Dense = partial(layers.Dense, kernel_initializer="zeros")
Embedding = partial(layers.Embedding, embeddings_initializer="zeros")
LSTM = partial(layers.LSTM, kernel_initializer="zeros", recurrent_initializer="zeros")


def convolution(shapes: Shapes, name: str) -> layers.Layer:
    """Of a kernel HWIO, that keeps height and width, and a ReLU."""
    size, *_, channels = shapes[f"{name}/kernel"]
    return Conv2D(channels, size, padding="same", activation="relu", name=name)


def dense(shapes: Shapes, name: str, activation: str | None = None) -> layers.Layer:
    return Dense(shapes[f"{name}/kernel"][-1], activation=activation, name=name)


def chance(seed: int) -> keras.random.SeedGenerator:
    """What dropout draws from; on PyTorch the device's own generator, which is seeded here."""
    if BACKEND == "torch":
        import torch

        torch.manual_seed(seed)
    return keras.random.SeedGenerator(seed)


def dropout(x: Any, rate: float, chance: keras.random.SeedGenerator, by_xla: bool) -> Any:
    """Keras' own, but on PyTorch, where it would draw by another generator than a layer of Keras does."""
    if BACKEND == "torch":
        from torch.nn import functional

        from suite.trainers import torch_layers

        return torch_layers.dropout(x, rate) if x.device.type == "cpu" else functional.dropout(x, rate)
    if by_xla:  # by which Keras' choice, Philox, is slow: suite.trainers.tensorflow_trainer
        import tensorflow as tf

        seed = tf.cast(chance.next(), tf.int64)
        return tf.nn.experimental.stateless_dropout(x, rate, seed, rng_alg="threefry")
    return keras.random.dropout(x, rate, seed=chance)


class Weights(layers.Layer):
    """Arrays alone, of a name's canonical ones: zeros at first."""

    def __init__(self, name: str, shapes: Shapes) -> None:
        super().__init__(name=name)
        own = {
            word: shape
            for full, shape in shapes.items()
            for part, _, word in [full.partition("/")]
            if part == name
        }
        self.words = {
            word: self.add_weight(
                shape=shape, initializer="zeros", trainable=trains(word), autocast=narrows(word), name=word
            )
            for word, shape in own.items()
        }
        self.built = True


class Weighted(keras.Model):
    """All of a spec's arrays; what is done with them is the implementation's."""

    def __init__(self, shapes: Shapes) -> None:
        super().__init__()
        self.parts = [Weights(name, shapes) for name in dict.fromkeys(name.split("/")[0] for name in shapes)]
        self.built = True

    def named(self) -> dict[str, keras.Variable]:
        """By their canonical names."""
        return {f"{one.name}/{word}": array for one in self.parts for word, array in one.words.items()}


def frozen_norm(x: Any, weights: Mapping[str, Any], name: str, epsilon: float) -> Any:
    """Batch normalisation whose four arrays [channels] are constants."""
    gamma, beta, mean, variance = (
        weights[f"{name}/{word}"] for word in ("frozen_gamma", "frozen_beta", "mean", "variance")
    )
    scale = gamma * ops.rsqrt(variance + ops.convert_to_tensor(epsilon, variance.dtype))
    return ops.cast((ops.cast(x, scale.dtype) - mean) * scale + beta, x.dtype)


class BatchNormalization(layers.BatchNormalization):
    """Its running variance takes in the batch's unbiased variance, n / (n - 1) of what normalises the batch."""

    def call(self, inputs: Any, training: bool | None = None, mask: Any = None) -> Any:
        kept = self.moving_variance * self.momentum
        outputs = super().call(inputs, training=training, mask=mask)
        if training and self.trainable:
            values = ops.cast(ops.size(inputs) // inputs.shape[self.axis], kept.dtype)
            self.moving_variance.assign(kept + (self.moving_variance - kept) * values / (values - 1))
        return outputs
