"""Batches as `fit` takes them from each backend without a detour, exactly as an order [steps, batch] names them.

A feeder is called with data and an order, epoch after epoch: what is traced or compiled for it is so the first time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import keras
import numpy as np
from keras import ops

from suite.keras_backends import BACKEND, Feed
from suite.neural import NeuralSpec
from suite.trainers import made

Batch = tuple[Any, ...]
BatchOf = Callable[[Any, Any], Batch]  # of data and rows
Feeder = Callable[[Any, np.ndarray], Feed]


def feeder(batch_of: BatchOf, spec: NeuralSpec) -> Feeder:
    """Of the spec's batches; premade ones are made on the host, others gathered on the device."""
    if BACKEND == "tensorflow":
        samples = spec.batch_size // spec.micro_batches
        return _Premade(batch_of, spec) if spec.premade else _Pipeline(batch_of, samples)
    placed = (lambda order: order) if spec.premade else _on_device
    return lambda data, order: one_by_one(batch_of, data, placed(order), spec.made_ahead)


def one_by_one(batch_of: BatchOf, data: Any, order: Any, more: int = 0) -> Feed:
    """Batches as they are asked for, and so many `more` ahead."""
    used = []

    def batches() -> Iterator[Batch]:
        for rows, batch in zip(order, made(partial(batch_of, data), order, more), strict=True):
            used.append(rows)
            yield batch

    return batches(), lambda: _on_host(used)


def _on_device(order: np.ndarray) -> Any:
    """JAX would compile taking it apart there, anew for each length."""
    if BACKEND == "jax":
        import jax

        return jax.device_put(list(order.astype(np.int32)))
    return ops.convert_to_tensor(order)


def _on_host(several: list[Any]) -> np.ndarray:
    if BACKEND == "jax":  # which would compile stacking so many
        import jax

        return np.stack(jax.device_get(several))
    return ops.convert_to_numpy(ops.stack(several))


class _Pipeline:
    """TensorFlow's own, of resident data. The order lies in a variable, and the rows that were taken in another."""

    def __init__(self, batch_of: BatchOf, samples: int) -> None:
        import tensorflow as tf

        self._batch_of, self._data = batch_of, None
        with tf.device("CPU"):
            nothing, shape = np.zeros((0, samples), np.int64), [None, samples]
            self._order, self._used = (tf.Variable(nothing, False, shape=shape) for _ in range(2))

    def __call__(self, data: Any, order: np.ndarray) -> Feed:
        if data is not self._data:
            self._data, self._batches = data, self._traced(data)
        self._used.assign(np.full_like(order, -1))
        self._order.assign(order)
        return self._batches, self._used.numpy

    def _traced(self, data: Any) -> Any:
        import tensorflow as tf

        def is_named(step: Any) -> Any:
            return step < tf.shape(self._order, tf.int64)[0]

        def batch(step: Any) -> Batch:
            rows = tf.gather(self._order, step)
            with tf.control_dependencies([self._used[step].assign(rows)]):
                return self._batch_of(data, rows)

        steps = tf.data.Dataset.range(tf.int64.max).take_while(is_named)
        # Its own threads would take 3 to 30 % of the speed from the training on 2 CPUs.
        options = tf.data.Options()
        options.autotune.enabled = False
        options.threading.private_threadpool_size = 1
        return steps.map(batch).prefetch(2).with_options(options)


class _Premade:
    """On TensorFlow, of batches of any lengths: Keras would hold all to those of the first two.

    Of one shape they say so: TensorFlow has other kernels for what it does not know, which round otherwise.
    """

    def __init__(self, batch_of: BatchOf, spec: NeuralSpec) -> None:
        self._batch_of, self._more, self._of_one_shape = batch_of, spec.made_ahead, spec.of_one_shape
        self._dataset: Any = None

    def __call__(self, data: Any, order: np.ndarray) -> Feed:
        self._batches, used = one_by_one(self._made_here, data, order)
        if self._dataset is None:
            self._dataset = self._traced(self._made_here(data, order[0]))
        return self._dataset, used

    def _made_here(self, data: Any, rows: Any) -> Batch:
        """Where the pipeline takes it from: a GPU would give it back first."""
        import tensorflow as tf

        with tf.device("CPU"):
            return self._batch_of(data, rows)

    def _traced(self, first: Batch) -> Any:
        import tensorflow as tf

        def signature(part: Any) -> Any:
            any_length = [len(part), *[None] * (part.ndim - 1)]
            return tf.TensorSpec(part.shape if self._of_one_shape else any_length, part.dtype)

        specs = keras.tree.map_structure(signature, first)
        batches = tf.data.Dataset.from_generator(lambda: self._batches, output_signature=specs)
        return batches.prefetch(self._more) if self._more else batches
