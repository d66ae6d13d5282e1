"""Ways to train with a framework that are not a mode of ours, to compare the default with.

Each function gives, for an implementation, (name, the mode it is run in, the implementation changed), ...
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

Found = Iterator[tuple[str, str, type]]

# Of a workload whose input is a factor: what is measured otherwise has its batches on the device.
FED, BATCHES = "fed by the host", "batches alone"
MEMORY = "memory"  # in place of a part: decoding beside what memory gives
# TensorFlow's loop around Keras' layers: it tells what `fit` costs, and is no idiom of Keras, nor one of the studies.
OWN_LOOP = "a loop of one's own"


def of_torch(base: Any) -> Found:
    import torch

    class ChannelsFirst(base):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            self.net.to(memory_format=torch.contiguous_format)

        def taken(self, data: Any, rows: Any) -> Any:
            return {name: one.contiguous() for name, one in super().taken(data, rows).items()}

    if "cnn" in base.__module__ or "resnet" in base.__module__:
        yield "channels-first", "eager", ChannelsFirst


def of_keras(base: Any) -> Found:
    import tensorflow as tf
    from keras import ops

    from suite.trainers.keras_trainer import Classifier

    class OneStep(base):
        def _steps_per_execution(self) -> int:
            return 1

    class OwnLoop(base):
        """An epoch as one graph, without `fit`."""

        def compile(self, data: Any, stage: str) -> None:
            loss, weights, optimizer = self.objective(), self.net.trainable_variables, self.net.optimizer
            optimizer.build(weights)

            @tf.function(jit_compile=self.mode == "xla" or None)
            def step(features: Any, labels: Any) -> Any:
                with tf.GradientTape() as tape:
                    value = loss(labels, self.net(features, training=True))
                optimizer.apply(tape.gradient(value, weights), weights)
                return value

            @tf.function
            def epoch(order: Any) -> Any:
                total = tf.zeros(())
                for rows in order:
                    total += step(*self._batch(data, rows))
                return total

            self.own = epoch

        def train(self, data: Any, order: Any) -> float:
            return float(self.own(ops.convert_to_tensor(order)))

    yield "a step a call", "default", OneStep
    if issubclass(base, Classifier):
        yield OWN_LOOP, "default", OwnLoop


def of_jax(base: Any) -> Found:
    import jax
    from jax import lax

    from suite.trainers import jax_layers

    class Unjitted(base):
        most_steps = 2  # of an epoch: tens to thousands of times slower

        def train(self, data: Any, order: Any) -> float:
            with jax.disable_jit():
                return super().train(data, order)

    class LibraryPool(base):
        def forward(self, *arguments: Any) -> Any:
            with patch.object(sys.modules[base.__module__], "max_pool", reduce_window):
                return super().forward(*arguments)

    class LibraryConvolution(base):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            self._convolutions = jax_layers.convolution, jax_layers.convolution

    def reduce_window(x: Any, size: int) -> Any:
        return lax.reduce_window(x, -float("inf"), lax.max, (1, size, size, 1), (1, size, size, 1), "VALID")

    yield "not jitted", "jit", Unjitted
    if hasattr(sys.modules[base.__module__], "max_pool"):
        yield "jit, reduce_window", "jit", LibraryPool
    if "_cnn" in base.__module__:  # but for mask_rcnn, which is fed
        yield "scan around lax.conv", "scan", LibraryConvolution


def of_tensorflow(base: Any) -> Found:
    """Its modes are all."""
    yield from ()


IDIOMS: dict[str, Callable[[Any], Found]] = {
    "torch": of_torch,
    "keras": of_keras,
    "jax": of_jax,
    "tensorflow": of_tensorflow,
}
